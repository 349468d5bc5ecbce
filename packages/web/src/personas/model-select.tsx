import { Select } from "../ui/field.tsx";
import { ReadOnly } from "./form-row.tsx";
import { modelText } from "./persona-lines.ts";
import type { SpeechModelName } from "./persona-types.ts";

type ModelSelectProps = {
  label: string;
  models: readonly SpeechModelName[];
  value: SpeechModelName | undefined;
  onChange: ((model: SpeechModelName | undefined) => void) | undefined;
};

/** The choice of a speech model; without one the service's default plays. */
export function ModelSelect({ label, models, value, onChange }: ModelSelectProps) {
  if (onChange === undefined)
    return <ReadOnly text={`${label} ${value ? modelText(value) : "the service's default"}`} />;
  const isListed = value === undefined || models.some((model) => modelText(model) === modelText(value));
  const listed = isListed ? models : [value, ...models];
  return (
    <Select
      label={label}
      value={value ? modelText(value) : ""}
      options={[
        { value: "", label: "The service's default" },
        ...listed.map((model) => ({ value: modelText(model), label: modelText(model) })),
      ]}
      onChange={({ target }) => {
        const model = listed.find((one) => modelText(one) === target.value);
        onChange(model && { provider: model.provider, model: model.model });
      }}
    />
  );
}
