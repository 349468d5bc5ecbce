import type { InputHTMLAttributes, ReactNode } from "react";
export function Checkbox({
  label,
  help,
  ...input
}: { label: ReactNode; help?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label>
      <input type="checkbox" {...input} /> {label} {help}
    </label>
  );
}
export function Switch({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label>
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />{" "}
      {label}
    </label>
  );
}
