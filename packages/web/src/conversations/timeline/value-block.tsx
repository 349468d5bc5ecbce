import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { shownText } from "../shown-text.ts";
import styles from "./panels.module.css";

const FOLDED_CHARACTERS = 4_000;

/** A value of a call or a span: a text as it is, everything else as indented JSON. A long value is folded. */
export function ValueBlock({ label, value }: { label?: string; value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(
    () => shownText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")),
    [value],
  );
  const isLong = text.length > FOLDED_CHARACTERS;
  return (
    <div>
      {label !== undefined && <div className={styles["label"]}>{label}</div>}
      <pre className={styles["code"]} tabIndex={0} dir="auto">
        {isLong && !isWhole ? `${text.slice(0, FOLDED_CHARACTERS)}…` : text}
      </pre>
      {isLong && (
        <Button look="quiet" small onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}
