import { readCallerScript } from "@svc/contract/constants";
import { TriangleAlert } from "lucide-react";
import { useDeferredValue, useMemo } from "react";
import { Field, inputClass } from "../../ui/field.tsx";
import styles from "./scenario-field.module.css";
import { scriptInWords } from "./script-in-words.ts";

type ScenarioFieldProps = {
  scenario: string;
  error: string | undefined;
  onChange: ((scenario: string) => void) | undefined;
};

const LEAST_ROWS = 5;
const MOST_ROWS = 24;
/** Number of characters that fit on one row. */
const ROW_CHARACTERS = 100;

/** The scenario as text, and what the scripted caller reads in it. */
export function ScenarioField({ scenario, error, onChange }: ScenarioFieldProps) {
  const shown = useDeferredValue(scenario);
  const script = useMemo(() => readCallerScript(shown), [shown]);
  const rows = scenario.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / ROW_CHARACTERS), 1);
  return (
    <div>
      <Field
        label="Scenario"
        error={error}
        help="Who calls, why, and what they know. The scripted caller says the lines under “Caller says:” word for word, and gives the facts of a line “Facts: name = Ana Silva; nights = 2” when the agent asks."
      >
        {(ids) => (
          <textarea
            {...ids}
            className={inputClass}
            rows={Math.max(LEAST_ROWS, Math.min(MOST_ROWS, rows))}
            value={scenario}
            readOnly={onChange === undefined}
            onChange={({ target }) => onChange?.(target.value)}
          />
        )}
      </Field>
      {script.problems.length > 0 ? (
        <ul className={styles["problems"]} role="alert">
          {script.problems.map((problem) => (
            <li key={problem}>
              <TriangleAlert size={13} aria-hidden />
              {problem}
            </li>
          ))}
        </ul>
      ) : (
        shown.trim() !== "" && <p className={styles["script"]}>{scriptInWords(script)}</p>
      )}
    </div>
  );
}
