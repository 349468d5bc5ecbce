import { Moon, Sun, SunMoon } from "lucide-react";
import { useState } from "react";
import styles from "./main-menu.module.css";
import { applyTheme, storedTheme, type Theme } from "./theme.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS = { system: SunMoon, light: Sun, dark: Moon };

/** Changes between the system's appearance, the light one and the dark one. */
export function Appearance() {
  const [theme, setTheme] = useState(storedTheme);
  const Icon = ICONS[theme];
  const change = () => {
    applyTheme(NEXT[theme]);
    setTheme(NEXT[theme]);
  };
  return (
    <button type="button" className={styles["item"]} onClick={change}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      Appearance: {theme}
    </button>
  );
}
