import { Select } from "../ui/field.tsx";
import { ReadOnly } from "./form-row.tsx";
import { modelText } from "./persona-lines.ts";
import type { SpeechModelName } from "./persona-types.ts";

type ModelSelectProps = {
  label: string;
  fallback: string;
  models: readonly SpeechModelName[];
  value: SpeechModelName | undefined;
  onChange: ((model: SpeechModelName | undefined) => void) | undefined;
};

/** The choice of a speech model; `fallback` names the one that plays without a choice. */
export function ModelSelect({ label, fallback, models, value, onChange }: ModelSelectProps) {
  if (onChange === undefined) return <ReadOnly text={`${label} ${value ? modelText(value) : fallback}`} />;
  const isListed = value === undefined || models.some((model) => modelText(model) === modelText(value));
  const listed = isListed ? models : [value, ...models];
  return (
    <Select
      label={label}
      value={value ? modelText(value) : ""}
      options={[
        { value: "", label: `${fallback[0]!.toUpperCase()}${fallback.slice(1)}` },
        ...listed.map((model) => ({ value: modelText(model), label: modelText(model) })),
      ]}
      onChange={({ target }) => {
        const model = listed.find((one) => modelText(one) === target.value);
        onChange(model && { provider: model.provider, model: model.model });
      }}
    />
  );
}
