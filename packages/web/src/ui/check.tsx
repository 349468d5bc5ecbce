import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./check.module.css";

type CheckboxProps = Omit<ComponentProps<"input">, "type"> & { label: ReactNode; help?: ReactNode };

export function Checkbox({ label, help, ...input }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles["choice"]}>
      <input type="checkbox" {...input} id={id} aria-describedby={help === undefined ? undefined : `${id}-help`} />
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <p id={`${id}-help`} className={styles["help"]}>
          {help}
        </p>
      )}
    </div>
  );
}

type SwitchProps = { label: ReactNode; checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean };

/** Switch for a setting that takes effect at once. */
export function Switch({ label, checked, onChange, disabled }: SwitchProps) {
  return (
    <label className={styles["switchLine"]}>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        disabled={disabled}
        className={styles["switch"]}
        onClick={() => onChange(!checked)}
      />
      {label}
    </label>
  );
}

type RadioGroupProps<T extends string> = {
  legend: ReactNode;
  options: readonly { value: T; label: ReactNode; help?: ReactNode }[];
  value: T | undefined;
  onChange: (value: T) => void;
};

export function RadioGroup<T extends string>({ legend, options, value, onChange }: RadioGroupProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles["group"]}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <div key={option.value} className={styles["choice"]}>
          <input
            type="radio"
            name={name}
            id={`${name}-${option.value}`}
            checked={option.value === value}
            aria-describedby={option.help === undefined ? undefined : `${name}-${option.value}-help`}
            onChange={() => onChange(option.value)}
          />
          <label htmlFor={`${name}-${option.value}`}>{option.label}</label>
          {option.help !== undefined && (
            <p id={`${name}-${option.value}-help`} className={styles["help"]}>
              {option.help}
            </p>
          )}
        </div>
      ))}
    </fieldset>
  );
}
