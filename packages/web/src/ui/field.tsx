import { CircleAlert, Search } from "lucide-react";
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { classes } from "./classes.ts";
import styles from "./field.module.css";
import { useKeys } from "./use-keys.ts";

const PAUSE_MS = 250;

type FieldProps = {
  label: string;
  help?: ReactNode;
  error?: string | undefined;
  children: (ids: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
};

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

export function TextField({ label, help, error, ...input }: TextFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => <input {...input} {...ids} className={styles["input"]} />}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, "children"> & Omit<ComponentProps<"textarea">, "id">;

export function TextArea({ label, help, error, rows = 4, ...textarea }: TextAreaProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => <textarea rows={rows} {...textarea} {...ids} className={classes(styles["input"], styles["area"])} />}
    </Field>
  );
}

/** Options with the same `group` are shown below its name. They must follow each other. */
export type Option = { value: string; label: string; group?: string | undefined };

type SelectProps = Omit<FieldProps, "children"> &
  Omit<ComponentProps<"select">, "id" | "children"> & { options: readonly Option[] };

export function Select({ label, help, error, options, ...select }: SelectProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => (
        <select {...select} {...ids} className={styles["input"]}>
          {[...Map.groupBy(options, ({ group }) => group)].map(([group, grouped]) => {
            const listed = grouped.map(({ value, label: text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ));
            return group === undefined ? (
              listed
            ) : (
              <optgroup key={group} label={group}>
                {listed}
              </optgroup>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export const inputClass = styles["input"];

type SearchFieldProps = {
  label: string;
  value: string;
  /** Called with the text shortly after the last key press. */
  onChange: (text: string) => void;
  placeholder?: string;
};

/** The key `/` focuses the field, and Escape empties it. */
export function SearchField({ label, value, onChange, placeholder = label }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useKeys({ "/": () => input.current?.focus() });
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <div className={styles["search"]} role="search">
      <Search size={16} strokeWidth={1.75} aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (text === "") event.currentTarget.blur();
          setText("");
        }}
      />
      {text === "" && <kbd aria-hidden>/</kbd>}
    </div>
  );
}
