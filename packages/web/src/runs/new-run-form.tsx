import { LIMITS } from "@svc/contract/constants";
import { Card } from "../ui/card.tsx";
import { Checkbox } from "../ui/check.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { AgentCard, TestsCard } from "./new-run-cards.tsx";
import styles from "./new-run.module.css";
import { costProblem, type NewRunSearch } from "./run-search.ts";
import type { Choices } from "./use-choices.ts";

/** Fields of the request whose validation errors are shown beside their inputs. */
export const RUN_FIELDS = [
  "name",
  "iterations",
  "concurrency",
  "turnLimit",
  "timeLimitSeconds",
  "maxCost",
  "connectionId",
  "caller",
];

type NewRunFormProps = {
  search: NewRunSearch;
  choices: Choices;
  errors: Record<string, string>;
  onChange: (changed: NewRunSearch) => void;
};

export function NewRunForm({ search, choices, errors, onChange }: NewRunFormProps) {
  return (
    <div className={styles["form"]}>
      <TestsCard search={search} choices={choices} onChange={onChange}>
        <p className={styles["hint"]}>Each test names its personas. Change them in the test.</p>
      </TestsCard>
      <AgentCard search={search} choices={choices} error={errors["connectionId"]} onChange={onChange} />
      <Card title="How">
        <div className={styles["fields"]}>
          <NumberField
            label="Iterations"
            help="Times that each test is played with each persona."
            value={search.iterations}
            fallback={1}
            max={LIMITS.runIterations}
            error={errors["iterations"]}
            onChange={(iterations) => onChange({ iterations })}
          />
          <NumberField
            label="Simulations at the same time"
            value={search.concurrency}
            fallback={10}
            max={LIMITS.runConcurrency}
            error={errors["concurrency"]}
            onChange={(concurrency) => onChange({ concurrency })}
          />
          <Select
            label="Caller"
            help="A scripted caller says only the lines of the scenario."
            error={errors["caller"]}
            options={[
              { value: "", label: "Chosen by the service" },
              { value: "scripted", label: "Scripted" },
              { value: "model", label: "Language model" },
            ]}
            value={search.caller ?? ""}
            onChange={({ target }) => onChange({ caller: (target.value || undefined) as NewRunSearch["caller"] })}
          />
        </div>
        <details className={styles["more"]} open={hasRareChoices(search) || undefined}>
          <summary>Name, limits and grading</summary>
          <div className={styles["fields"]}>
            <TextField
              label="Name of the run"
              placeholder="main @ 7be20c4"
              value={search.name ?? ""}
              error={errors["name"]}
              onChange={({ target }) => onChange({ name: target.value || undefined })}
            />
            <NumberField
              label="Turns of a conversation at most"
              value={search.turns}
              fallback={60}
              max={LIMITS.runTurns}
              error={errors["turnLimit"]}
              onChange={(turns) => onChange({ turns })}
            />
            <NumberField
              label="Seconds of a conversation at most"
              value={search.seconds}
              fallback={600}
              max={LIMITS.runSeconds}
              error={errors["timeLimitSeconds"]}
              onChange={(seconds) => onChange({ seconds })}
            />
            <TextField
              label="Cost of the judge at most"
              help="In the currency of the service’s prices. Later behaviors are not graded."
              placeholder="no limit"
              inputMode="decimal"
              value={search.cost ?? ""}
              error={costProblem(search) ?? errors["maxCost"]}
              onChange={({ target }) => onChange({ cost: target.value || undefined })}
            />
          </div>
          <Checkbox
            label="Let a simulation pass when some behaviors are not graded"
            help="It passes when at least one behavior passed and none failed."
            checked={search.partly === "yes"}
            onChange={({ target }) => onChange({ partly: target.checked ? "yes" : undefined })}
          />
        </details>
      </Card>
    </div>
  );
}

const hasRareChoices = ({ name, turns, seconds, cost, partly }: NewRunSearch): boolean =>
  [name, turns, seconds, cost, partly].some((value) => value !== undefined);

type NumberFieldProps = {
  label: string;
  help?: string;
  value: number | undefined;
  /** Value that applies if the field is empty. */
  fallback: number;
  max: number;
  error: string | undefined;
  onChange: (value: number | undefined) => void;
};

const NumberField = ({ label, help, value, fallback, max, error, onChange }: NumberFieldProps) => (
  <TextField
    label={label}
    help={help}
    type="number"
    min={1}
    max={max}
    placeholder={String(fallback)}
    value={value ?? ""}
    error={error}
    onChange={({ target }) => onChange(target.value === "" ? undefined : Math.trunc(Number(target.value)))}
  />
);
