import { CircleAlert } from "lucide-react";
import { type InputHTMLAttributes, type ReactNode, useId } from "react";
import styles from "./field.module.css";

type FieldProps = {
  label: string;
  help?: ReactNode;
  /** The server's words about this field. */
  error?: string | undefined;
  children: (ids: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
};

/** A labelled control with its help and its error. */
export function Field({ label, help, error, children }: FieldProps) {
  const id = useId();
  const about = error !== undefined ? `${id}-error` : help !== undefined ? `${id}-help` : undefined;
  return (
    <div className={styles["field"]}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": about, "aria-invalid": error === undefined ? undefined : true })}
      {help !== undefined && error === undefined && (
        <p id={`${id}-help`} className={styles["help"]}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles["error"]} role="alert">
          <CircleAlert size={14} aria-hidden />
          {error}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, "children"> & Omit<InputHTMLAttributes<HTMLInputElement>, "id">;

/** A field of one line of text. */
export function TextField({ label, help, error, ...input }: TextFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => <input {...input} {...ids} className={styles["input"]} />}
    </Field>
  );
}

type SelectProps = Omit<FieldProps, "children"> &
  Omit<import("react").SelectHTMLAttributes<HTMLSelectElement>, "id"> & { options: { value: string; label: string }[] };

/** A field with a choice. */
export function Select({ label, help, error, options, ...select }: SelectProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => (
        <select {...select} {...ids} className={styles["input"]}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export const inputClass = styles["input"];
