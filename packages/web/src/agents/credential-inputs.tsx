import { Plus, X } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Field, inputClass, TextField } from "../ui/field.tsx";
import styles from "./agents.module.css";
import { type ConnectionDraft, type CredentialField, type Header, labelOf } from "./connection-draft.ts";

type CredentialInputsProps = {
  draft: ConnectionDraft;
  fields: readonly CredentialField[];
  /** Last four characters of the stored credential; undefined if none is stored. */
  hint: string | undefined;
  errors: Readonly<Record<string, string>>;
  onChange: (draft: ConnectionDraft) => void;
};

/** The service never returns secrets, so an edit either keeps all stored secrets or replaces all. */
export function CredentialInputs({ draft, fields, hint, errors, onChange }: CredentialInputsProps) {
  const setSecret = (name: string, secret: string) =>
    onChange({ ...draft, secrets: { ...draft.secrets, [name]: secret } });
  const setHeaders = (name: string, headers: Header[]) =>
    onChange({ ...draft, headers: { ...draft.headers, [name]: headers } });
  return (
    <div className={styles["credential"]}>
      {hint !== undefined && (
        <p className={styles["muted"]}>
          The stored credential ends in <code>{hint}</code>. Leave {fields.length === 1 ? "the field" : "all fields"}{" "}
          empty to keep it.
        </p>
      )}
      {fields.map((field) =>
        field.kind === "headers" ? (
          <HeaderInputs
            key={field.name}
            field={field}
            headers={draft.headers[field.name] ?? [{ name: "", value: "" }]}
            error={errors[`credential.${field.name}`]}
            onChange={(headers) => setHeaders(field.name, headers)}
          />
        ) : (
          <TextField
            key={field.name}
            label={field.required ? labelOf(field.name) : `${labelOf(field.name)} (optional)`}
            type="password"
            autoComplete="off"
            help={field.description}
            maxLength={field.maxCharacters}
            value={draft.secrets[field.name] ?? ""}
            error={errors[`credential.${field.name}`] ?? errors["credential"]}
            onChange={({ target }) => setSecret(field.name, target.value)}
          />
        ),
      )}
    </div>
  );
}

type HeaderInputsProps = {
  field: CredentialField;
  headers: readonly Header[];
  error: string | undefined;
  onChange: (headers: Header[]) => void;
};

function HeaderInputs({ field, headers, error, onChange }: HeaderInputsProps) {
  const change = (at: number, part: Partial<Header>) => onChange(headers.with(at, { ...headers[at]!, ...part }));
  return (
    <Field label={labelOf(field.name)} help={field.description} error={error}>
      {({ id, ...about }) => (
        <div className={styles["headers"]}>
          {headers.map((header, at) => (
            <div key={at} className={styles["header"]}>
              <input
                {...(at === 0 && { id })}
                className={inputClass}
                aria-label={`Name of header ${at + 1}`}
                placeholder="Authorization"
                autoComplete="off"
                spellCheck={false}
                value={header.name}
                onChange={({ target }) => change(at, { name: target.value })}
              />
              <input
                {...about}
                className={inputClass}
                type="password"
                aria-label={`Value of header ${at + 1}`}
                autoComplete="off"
                value={header.value}
                onChange={({ target }) => change(at, { value: target.value })}
              />
              <Button
                look="quiet"
                iconOnly
                aria-label={`Remove header ${at + 1}`}
                onClick={() => onChange(headers.toSpliced(at, 1))}
              >
                <X size={14} aria-hidden />
              </Button>
            </div>
          ))}
          <Button small className={styles["add"]} onClick={() => onChange([...headers, { name: "", value: "" }])}>
            <Plus size={14} aria-hidden />
            Add header
          </Button>
        </div>
      )}
    </Field>
  );
}
