import { LIMITS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { usePlace } from "../shell/place.ts";
import { RadioGroup } from "../ui/check.tsx";
import { Select, TextArea, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import type { DefinitionDraft } from "./definition.ts";
import { LanguageModelLink } from "./language-model-link.tsx";
import { checkReadingQuery, serviceQuery } from "./queries.ts";

const TYPING_MS = 150;

/** Fields of a definition whose validation errors are shown beside their inputs. */
export const DEFINITION_FIELDS = [
  "name",
  "definition.check",
  "definition.maxMs",
  "definition.criterion",
  "definition.passesWhen",
  "definition.failsWhen",
];

type DefinitionFieldsProps = {
  draft: DefinitionDraft;
  errors: Record<string, string>;
  onChange: (draft: DefinitionDraft) => void;
};

export function DefinitionFields({ draft, errors, onChange }: DefinitionFieldsProps) {
  const set = (changed: Partial<DefinitionDraft>) => onChange({ ...draft, ...changed });
  return (
    <>
      <RadioGroup
        legend="Who decides"
        options={[
          { value: "check", label: "Code, by a sentence", help: "Such as: never says /guarantee/i" },
          { value: "latency", label: "Code, by the time to answer" },
          { value: "llm", label: "A judge", help: "A language model reads the conversation." },
        ]}
        value={draft.kind}
        onChange={(kind) => set({ kind })}
      />
      {draft.kind === "check" && (
        <CheckField value={draft.check} error={errors["definition.check"]} onChange={(check) => set({ check })} />
      )}
      {draft.kind === "latency" && (
        <>
          <TextField
            label="Milliseconds at most"
            type="number"
            min={1}
            max={LIMITS.graderLatencyMs}
            value={draft.maxMs}
            error={errors["definition.maxMs"]}
            onChange={({ target }) => set({ maxMs: target.value })}
          />
          <Select
            label="Answers that must be within it"
            options={["50", "90", "95", "99"].map((value) => ({ value, label: `${value} of 100` }))}
            value={draft.percentile}
            onChange={({ target }) => set({ percentile: target.value })}
          />
        </>
      )}
      {draft.kind === "llm" && <JudgeFields draft={draft} errors={errors} set={set} />}
    </>
  );
}

type CheckFieldProps = { value: string; error: string | undefined; onChange: (check: string) => void };

function CheckField({ value, error, onChange }: CheckFieldProps) {
  const place = usePlace();
  const { data: reading } = useQuery(checkReadingQuery(place, useDebounced(value, TYPING_MS)));
  const isRead = reading?.decided_by === "check";
  const hint = reading && (reading.problem ?? (isRead ? reading.reading : "No form of code decides this sentence."));
  return (
    <TextField
      label="Sentence"
      placeholder="never says /guarantee/i"
      value={value}
      help={
        reading === undefined || value.trim() === ""
          ? "A sentence in one of the forms that code decides."
          : `${hint}${reading.suggestion !== null && !isRead ? ` Try: ${reading.suggestion}` : ""}`
      }
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

type JudgeFieldsProps = Omit<DefinitionFieldsProps, "onChange"> & { set: (changed: Partial<DefinitionDraft>) => void };

function JudgeFields({ draft, errors, set }: JudgeFieldsProps) {
  const { data: service } = useQuery(serviceQuery(usePlace()));
  return (
    <>
      {service?.languageModel === null && (
        <Notice kind="warning">
          There is no language model. Until there is one, the verdict is “not graded”. <LanguageModelLink />
        </Notice>
      )}
      <TextArea
        label="Criterion"
        help="The behavior that the agent must show."
        rows={2}
        value={draft.criterion}
        error={errors["definition.criterion"]}
        onChange={({ target }) => set({ criterion: target.value })}
      />
      <TextArea
        label="Passes when (optional)"
        rows={2}
        value={draft.passesWhen}
        error={errors["definition.passesWhen"]}
        onChange={({ target }) => set({ passesWhen: target.value })}
      />
      <TextArea
        label="Fails when (optional)"
        rows={2}
        value={draft.failsWhen}
        error={errors["definition.failsWhen"]}
        onChange={({ target }) => set({ failsWhen: target.value })}
      />
    </>
  );
}
