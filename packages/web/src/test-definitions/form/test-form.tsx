import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/field.tsx";
import type { TestContent } from "../test-content.ts";
import type { TestErrors } from "../test-errors.ts";
import { BehaviorsField } from "./behaviors-field.tsx";
import { MockToolsField } from "./mock-tools-field.tsx";
import { PersonasField } from "./personas-field.tsx";
import { ScenarioField } from "./scenario-field.tsx";
import styles from "./test-form.module.css";

type TestFormProps = {
  content: TestContent;
  errors: TestErrors;
  /** Without it the test is read-only. */
  onChange: ((content: TestContent) => void) | undefined;
};

/** Every field of a test. */
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
