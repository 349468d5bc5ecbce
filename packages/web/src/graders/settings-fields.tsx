import type { Grader, GraderSettings } from "@svc/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queries, refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { Switch } from "../ui/check.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatPercent } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure } from "../ui/notice.tsx";
import styles from "./graders.module.css";
import { graderQuery } from "./queries.ts";

/** A change takes effect at once and creates no version. */
export function SettingsCard({ grader }: { grader: Grader }) {
  const place = usePlace();
  const configure = useMutation({
    mutationFn: (changed: Partial<Settings>) =>
      place.client.graders.configure({ graderId: grader.id, projectId: place.projectId, ...changed }),
    onSuccess: async ({ grader: saved }) => {
      queries.setQueryData(graderQuery(place, grader.id).queryKey, saved);
      await refresh(place, "graders.list");
    },
  });
  const errors = configure.error === null ? NO_ERRORS : formErrorsOf(configure.error, ["productionSampleRate"]);
  return (
    <Card title="How the project uses it">
      {errors.form !== undefined && <Failure error={configure.error} />}
      {place.canWrite && !grader.archived ? (
        <GraderSettingsFields
          settings={grader}
          disabled={configure.isPending}
          error={errors.fields["productionSampleRate"]}
          onChange={configure.mutate}
        />
      ) : (
        <KeyValues
          items={[
            ["Grades conversations", grader.enabled ? "yes" : "no"],
            ["Counts for the verdict", grader.counts ? "yes" : "no"],
            ["Conversations", grader.scope === "both" ? "simulations and production" : grader.scope],
            ...(grader.scope === "simulations"
              ? []
              : [["Production sampled", formatPercent(grader.productionSampleRate)] as const]),
          ]}
        />
      )}
    </Card>
  );
}

export type Settings = GraderSettings;

type GraderSettingsFieldsProps = {
  settings: Settings;
  disabled?: boolean;
  error?: string | undefined;
  onChange: (changed: Partial<Settings>) => void;
};

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

/** A change of the share is saved when the field loses the focus. */
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
