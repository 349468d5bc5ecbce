import { Select, TextArea, TextField } from "../ui/field.tsx";
import { type ConfigField, labelOf } from "./connection-draft.ts";

/** Longer texts get several lines. */
const LINE_CHARACTERS = 2_000;
const TYPES = { url: "url", phone: "tel", text: "text" } as const;

type ConfigInputProps = {
  field: ConfigField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

/** One setting of a connection, with the control of its kind. */
export function ConfigInput({ field, value, error, onChange }: ConfigInputProps) {
  const { name, kind, required, description, maxCharacters, choices = [] } = field;
  const common = {
    label: required ? labelOf(name) : `${labelOf(name)} (optional)`,
    help: description.replaceAll("`", ""),
    error,
  };
  if (kind === "choice") {
    const options = choices.map((choice) => ({ value: choice, label: choice }));
    return (
      <Select
        {...common}
        value={value}
        options={required ? options : [{ value: "", label: "Not set" }, ...options]}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  if (maxCharacters > LINE_CHARACTERS)
    return (
      <TextArea {...common} maxLength={maxCharacters} value={value} onChange={({ target }) => onChange(target.value)} />
    );
  return (
    <TextField
      {...common}
      type={TYPES[kind]}
      autoComplete="off"
      spellCheck={false}
      maxLength={maxCharacters}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
