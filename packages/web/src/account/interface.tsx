import { useState } from "react";
import { applyTheme, storedTheme, type Theme } from "../frame/theme.ts";
import { Section } from "../ui/card.tsx";
import { Switch } from "../ui/check.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { lettersAreOn, switchLetters } from "../ui/single-letters.ts";
import styles from "./account.module.css";

const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** The appearance and the shortcuts of this browser. */
export function Interface() {
  const [theme, setTheme] = useState(storedTheme);
  const [letters, setLetters] = useState(lettersAreOn);
  return (
    <Section title="This browser">
      <div className={styles["settings"]}>
        <Segmented
          label="Appearance"
          options={THEMES}
          value={theme}
          onChange={(chosen) => {
            applyTheme(chosen);
            setTheme(chosen);
          }}
        />
        <Switch
          label="Single letters are shortcuts, such as “g o” for the overview and “?” for their list"
          checked={letters}
          onChange={(on) => {
            switchLetters(on);
            setLetters(on);
          }}
        />
      </div>
    </Section>
  );
}
