import type { GraderSettings } from "@svc/contract";
import { useState } from "react";
import { Switch } from "../ui/check.tsx";
import { Select, TextField } from "../ui/field.tsx";
import styles from "./graders.module.css";

export type Settings = GraderSettings;

type GraderSettingsFieldsProps = {
  settings: Settings;
  disabled?: boolean;
  error?: string | undefined;
  onChange: (changed: Partial<Settings>) => void;
};

/** Whether a grader works and counts, and which conversations it grades. */
export function GraderSettingsFields({ settings, disabled = false, error, onChange }: GraderSettingsFieldsProps) {
  const { enabled, counts, scope, productionSampleRate } = settings;
  return (
    <div className={styles["fields"]}>
      <Switch
        label="It grades conversations"
        checked={enabled}
        disabled={disabled}
        onChange={(on) => onChange({ enabled: on })}
      />
      <Switch
        label="It counts for the verdict of a simulation"
        checked={counts}
        disabled={disabled}
        onChange={(on) => onChange({ counts: on })}
      />
      <Select
        label="Conversations"
        disabled={disabled}
        options={[
          { value: "simulations", label: "Simulations" },
          { value: "production", label: "Production" },
          { value: "both", label: "Simulations and production" },
        ]}
        value={scope}
        onChange={({ target }) => onChange({ scope: target.value as Settings["scope"] })}
      />
      {scope !== "simulations" && (
        <SampleField
          key={productionSampleRate}
          rate={productionSampleRate}
          disabled={disabled}
          error={error}
          onChange={(rate) => onChange({ productionSampleRate: rate })}
        />
      )}
    </div>
  );
}

type SampleFieldProps = {
  rate: number;
  disabled: boolean;
  error: string | undefined;
  onChange: (rate: number) => void;
};

/** The share of production conversations; it takes effect when the field is left. */
function SampleField({ rate, disabled, error, onChange }: SampleFieldProps) {
  const [percent, setPercent] = useState(String(Number((rate * 100).toFixed(4))));
  const save = () => {
    const next = Number(percent) / 100;
    if (Number.isFinite(next) && next !== rate) onChange(next);
  };
  return (
    <TextField
      label="Percent of production conversations"
      help="The choice depends only on the conversation and the version."
      type="number"
      min={0}
      max={100}
      value={percent}
      disabled={disabled}
      error={error}
      onChange={({ target }) => setPercent(target.value)}
      onBlur={save}
    />
  );
}
