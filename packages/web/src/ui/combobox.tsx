import { Check, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { classes } from "./classes.ts";
import styles from "./combobox.module.css";
import { Field } from "./field.tsx";

type ComboboxOption = { value: string; label: string; detail?: ReactNode };

type ComboboxProps = {
  label: string;
  help?: ReactNode;
  error?: string | undefined;
  options: readonly ComboboxOption[];
  values: readonly string[];
  onChange: (values: string[]) => void;
  multiple?: boolean;
  placeholder?: string;
  /** Requests other options while the user types. If undefined, the given options are filtered. */
  onSearch?: (text: string) => void;
  /** Whether other options are loading. */
  busy?: boolean;
};

const SHOWN_MAX = 100;

export function Combobox({
  label,
  help,
  error,
  options,
  values,
  onChange,
  multiple = false,
  placeholder,
  onSearch,
  busy = false,
}: ComboboxProps) {
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState<string>();
  const [active, setActive] = useState(0);
  const isOpen = text !== undefined;
  // Labels of all options so far. A later search may no longer return a chosen option.
  const labels = useRef(new Map<string, string>());
  for (const option of options) labels.current.set(option.value, option.label);
  const labelOf = (value: string) => labels.current.get(value) ?? value;
  const wanted = (text ?? "").trim().toLowerCase();
  const shown = options
    .filter((option) => onSearch !== undefined || option.label.toLowerCase().includes(wanted))
    .slice(0, SHOWN_MAX);

  useEffect(() => {
    if (isOpen) document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [isOpen, active, listId]);

  const close = () => {
    setText(undefined);
    setActive(0);
  };
  const search = (next: string) => {
    setText(next);
    setActive(0);
    onSearch?.(next);
  };
  const choose = ({ value }: ComboboxOption) => {
    if (!multiple) {
      onChange([value]);
      close();
      return;
    }
    onChange(values.includes(value) ? values.filter((each) => each !== value) : [...values, value]);
    search("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const option = shown[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) search("");
      else setActive((active + (event.key === "ArrowDown" ? 1 : -1) + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === "Enter" && isOpen) {
      if (option !== undefined) choose(option);
    } else if (event.key === "Escape" && isOpen) close();
    else if (event.key === "Backspace" && multiple && !text && values.length > 0) onChange(values.slice(0, -1));
    else return;
    event.preventDefault();
  };

  return (
    <Field label={label} help={help} error={error}>
      {(ids) => (
        <div className={styles["combobox"]}>
          <div className={styles["box"]} onClick={() => input.current?.focus()}>
            {multiple &&
              values.map((value) => (
                <span key={value} className={styles["chip"]}>
                  <bdi>{labelOf(value)}</bdi>
                  <button
                    type="button"
                    aria-label={`Remove ${labelOf(value)}`}
                    onClick={() => onChange(values.filter((each) => each !== value))}
                  >
                    <X size={12} aria-hidden />
                  </button>
                </span>
              ))}
            <input
              {...ids}
              ref={input}
              role="combobox"
              aria-expanded={isOpen && shown.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={isOpen && shown.length > 0 ? `${listId}-${active}` : undefined}
              autoComplete="off"
              placeholder={multiple && values.length > 0 ? undefined : placeholder}
              value={text ?? (multiple || values[0] === undefined ? "" : labelOf(values[0]))}
              onChange={(event) => search(event.target.value)}
              onClick={() => !isOpen && search("")}
              onBlur={close}
              onKeyDown={onKeyDown}
            />
          </div>
          <ul
            id={listId}
            role="listbox"
            aria-label={label}
            aria-multiselectable={multiple}
            className={styles["list"]}
            hidden={!isOpen || shown.length === 0}
          >
            {shown.map((option, at) => (
              <li
                key={option.value}
                id={`${listId}-${at}`}
                role="option"
                aria-selected={values.includes(option.value)}
                className={classes(styles["option"], at === active && styles["active"])}
                // Prevents the field from losing the focus. Otherwise the list would close before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                {values.includes(option.value) ? <Check size={14} aria-hidden /> : <span />}
                <bdi>{option.label}</bdi>
                {option.detail !== undefined && <small>{option.detail}</small>}
              </li>
            ))}
          </ul>
          {isOpen && shown.length === 0 && (
            <p role="status" className={classes(styles["list"], styles["none"])}>
              {busy ? "Searching…" : "Nothing matches."}
            </p>
          )}
        </div>
      )}
    </Field>
  );
}
