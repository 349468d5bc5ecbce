import { Field, inputClass, TextField } from "../ui/field.tsx";
import type { MockToolDraft } from "./mock-tool-text.ts";
import styles from "./mock-tool-fields.module.css";

type MockToolFieldsProps = {
  draft: MockToolDraft;
  errors: Readonly<Partial<Record<"tool" | "json" | "error" | "delay" | "succeedsWhen", string>>>;
  onChange: (draft: MockToolDraft) => void;
};

export function MockToolFields({ draft, errors, onChange }: MockToolFieldsProps) {
  const set = (part: Partial<MockToolDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Tool"
        help="The name of the agent's tool, as the agent calls it."
        value={draft.tool}
        error={errors.tool}
        spellCheck={false}
        autoFocus
        onChange={({ target }) => set({ tool: target.value })}
      />
      <fieldset className={styles["kind"]}>
        <legend>The tool</legend>
        {(["answer", "error"] as const).map((kind) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => set({ kind })} />
            {kind === "answer" ? "answers with JSON" : "fails with a message"}
          </label>
        ))}
      </fieldset>
      {draft.kind === "answer" ? (
        <Field label="Answer" error={errors.json} help="Any JSON value. The agent gets it as it is written here.">
          {(ids) => (
            <textarea
              {...ids}
              className={`${inputClass} ${styles["json"]}`}
              rows={8}
              spellCheck={false}
              value={draft.json}
              onChange={({ target }) => set({ json: target.value })}
            />
          )}
        </Field>
      ) : (
        <TextField
          label="Error message"
          value={draft.error}
          error={errors.error}
          onChange={({ target }) => set({ error: target.value })}
        />
      )}
      <TextField
        label="Delay in milliseconds"
        inputMode="numeric"
        value={draft.delay}
        error={errors.delay}
        onChange={({ target }) => set({ delay: target.value })}
      />
      <TextField
        label="Succeeds when (optional)"
        help="A condition on the tool's result, such as verified = true. Without it the service reads the result itself."
        value={draft.succeedsWhen}
        error={errors.succeedsWhen}
        spellCheck={false}
        onChange={({ target }) => set({ succeedsWhen: target.value })}
      />
    </>
  );
}
