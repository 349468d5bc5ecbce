import { LIMITS } from "@svc/sdk";
import { Backticked } from "../ui/user-text.tsx";
import { Select, TextArea, TextField } from "../ui/field.tsx";
import { KeyValues } from "../ui/key-values.tsx";
import {
  type ConfigField,
  type Connection,
  type ConnectionDraft,
  type ConnectionOption,
  emptyDraft,
  labelOf,
  variantLabel,
  variantOf,
  withVariant,
} from "./connection-draft.ts";
import { CredentialInputs } from "./credential-inputs.tsx";

/** A field that allows longer texts has several lines. */
const LINE_CHARACTERS = 2_000;

const TYPES = {
  url: "url",
  phone: "tel",
  sip: "text",
  sip_account: "text",
  sip_callers: "text",
  text: "text",
} as const;

type ConnectionFieldsProps = {
  draft: ConnectionDraft;
  /** The stored connection, whose type cannot change; undefined for a new connection. */
  stored: Connection | undefined;
  options: readonly ConnectionOption[];
  errors: Readonly<Record<string, string>>;
  onChange: (draft: ConnectionDraft) => void;
};

export function ConnectionFields({ draft, stored, options, errors, onChange }: ConnectionFieldsProps) {
  const option = options.find(({ connectionType }) => connectionType === draft.connectionType)!;
  const variant = variantOf(draft, option);
  const set = (part: Partial<ConnectionDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      {stored === undefined ? (
        <TypeChoices draft={draft} options={options} option={option} errors={errors} onChange={onChange} />
      ) : (
        <KeyValues
          items={[
            ["Type", `${option.productLabel}, ${draft.modality}`],
            ["Access", variantLabel(draft.accessVariant)],
          ]}
        />
      )}
      {variant?.config.map((field) => (
        <ConfigInput
          key={field.name}
          field={field}
          value={draft.config[field.name] ?? ""}
          error={errors[`config.${field.name}`] ?? errors["config"]}
          onChange={(value) => set({ config: { ...draft.config, [field.name]: value } })}
        />
      ))}
      <TextField
        label="Name"
        autoComplete="off"
        maxLength={LIMITS.nameCharacters}
        value={draft.name}
        placeholder={stored === undefined ? option.productLabel : undefined}
        error={errors["name"]}
        onChange={({ target }) => set({ name: target.value })}
      />
      <TextField
        label="Environment"
        autoComplete="off"
        maxLength={LIMITS.environmentCharacters}
        value={draft.environment}
        help="Any name, such as production or staging."
        error={errors["environment"]}
        onChange={({ target }) => set({ environment: target.value })}
      />
      {variant !== undefined && variant.credential.length > 0 && (
        <CredentialInputs
          draft={draft}
          fields={variant.credential}
          hint={stored?.credentialsHint ?? undefined}
          errors={errors}
          onChange={onChange}
        />
      )}
    </>
  );
}

type TypeChoicesProps = Omit<ConnectionFieldsProps, "stored"> & { option: ConnectionOption };

function TypeChoices({ draft, options, option, errors, onChange }: TypeChoicesProps) {
  return (
    <>
      <Select
        label="Type"
        value={draft.connectionType}
        options={options.map(({ connectionType, productLabel }) => ({ value: connectionType, label: productLabel }))}
        help={<Backticked text={option.plays.summary} />}
        error={errors["connectionType"]}
        onChange={({ target }) => {
          const chosen = options.find(({ connectionType }) => connectionType === target.value);
          if (chosen) onChange({ ...emptyDraft(chosen), name: draft.name, environment: draft.environment });
        }}
      />
      {option.accessVariants.length > 1 && (
        <Select
          label="Access"
          value={draft.accessVariant}
          options={option.accessVariants.map(({ accessVariant }) => ({
            value: accessVariant,
            label: variantLabel(accessVariant),
          }))}
          error={errors["accessVariant"]}
          onChange={({ target }) => {
            const chosen = option.accessVariants.find(({ accessVariant }) => accessVariant === target.value);
            if (chosen) onChange(withVariant(draft, chosen, option));
          }}
        />
      )}
      {option.modalities.length > 1 && (
        <Select
          label="Modality"
          value={draft.modality}
          options={option.modalities.map((modality) => ({ value: modality, label: modality }))}
          error={errors["modality"]}
          onChange={({ target }) => onChange({ ...draft, modality: target.value })}
        />
      )}
    </>
  );
}

type ConfigInputProps = {
  field: ConfigField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

function ConfigInput({ field, value, error, onChange }: ConfigInputProps) {
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
