import { type CallerScript, readCallerScript } from "@svc/contract/constants";
import { TriangleAlert } from "lucide-react";
import { useDeferredValue, useMemo } from "react";
import { Field, inputClass, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { TestContent, TestErrors } from "../test-content.ts";
import { BehaviorsField } from "./behaviors-field.tsx";
import { MockToolsField } from "./mock-tools-field.tsx";
import { PersonasField } from "./personas-field.tsx";
import styles from "./test-form.module.css";

const LEAST_ROWS = 5;
const MOST_ROWS = 24;

/** Number of characters that fit on one row. */
const ROW_CHARACTERS = 100;

type TestFormProps = {
  content: TestContent;
  errors: TestErrors;
  /** Undefined if the person may not edit the test. */
  onChange: ((content: TestContent) => void) | undefined;
};

export function TestForm({ content, errors, onChange }: TestFormProps) {
  const setter = <K extends keyof TestContent>(field: K) =>
    onChange && ((value: TestContent[K]) => onChange({ ...content, [field]: value }));
  const setName = setter("name");
  return (
    <div className={styles["form"]}>
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      <TextField
        label="Name"
        value={content.name}
        readOnly={onChange === undefined}
        error={errors.name}
        onChange={({ target }) => setName?.(target.value)}
      />
      <ScenarioField scenario={content.scenario} error={errors.scenario} onChange={setter("scenario")} />
      <BehaviorsField
        behaviors={content.behaviors}
        mockTools={content.mockTools}
        errors={errors.behaviors}
        onChange={setter("behaviors")}
      />
      <PersonasField personas={content.personas} error={errors.personas} onChange={setter("personas")} />
      <MockToolsField mockTools={content.mockTools} errors={errors.mockTools} onChange={setter("mockTools")} />
    </div>
  );
}

type ScenarioFieldProps = {
  scenario: string;
  error: string | undefined;
  onChange: ((scenario: string) => void) | undefined;
};

function ScenarioField({ scenario, error, onChange }: ScenarioFieldProps) {
  const shown = useDeferredValue(scenario);
  const script = useMemo(() => readCallerScript(shown), [shown]);
  const rows = scenario.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / ROW_CHARACTERS), 1);
  return (
    <div>
      <Field
        label="Scenario"
        error={error}
        help="Who calls, why, and what they know. The scripted caller says the lines “Says: …” word for word, and gives the facts of a line “Facts: name = Ana Silva; nights = 2” when the agent asks."
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

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

function scriptInWords({ lines, facts }: Pick<CallerScript, "lines" | "facts">): string {
  const [says, knows] = [counted(lines.length, "line"), counted(facts.length, "fact")];
  if (lines.length === 0 && facts.length === 0) return "No line is prescribed: the caller finds its own words.";
  if (lines.length === 0) return `The scripted caller knows ${knows}.`;
  return facts.length === 0
    ? `The scripted caller says ${says}.`
    : `The scripted caller says ${says} and knows ${knows}.`;
}
