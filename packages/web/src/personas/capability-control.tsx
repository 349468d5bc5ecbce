import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { inputClass } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { misfitOf, type NumberCapability, numberMisfitOf, type TextCapability } from "./capability.ts";
import { Fixed, ReadOnly, Remark } from "./form-row.tsx";
import styles from "./persona.module.css";

/** If there are more choices than this, the control is a list instead of buttons. */
const MOST_BUTTONS = 8;

type TextControlProps = {
  label: string;
  capability: TextCapability;
  value: string | undefined;
  words: (value: string) => string;
  /** Label of a missing value. */
  standard: string;
  onChange: ((value: string | undefined) => void) | undefined;
};

/** The control offers choices only if the models support the capability. */
export function TextControl({ label, capability, value, words, standard, onChange }: TextControlProps) {
  const { status, reason, choices = [] } = capability;
  const misfit = misfitOf(capability, value);
  const standardChoice = choices.find((choice) => choice === standard || choice === "voice_default");
  if (onChange === undefined) return <ReadOnly text={value === undefined ? standard : words(value)} />;
  return (
    <>
      {status === "supported" && choices.length > 0 && choices.length <= MOST_BUTTONS && (
        <Segmented
          label={label}
          value={value ?? standardChoice ?? ""}
          options={[
            ...(standardChoice === undefined ? [{ value: "", label: standard }] : []),
            ...choices.map((choice) => ({ value: choice, label: words(choice) })),
          ]}
          onChange={(choice) => onChange(choice || undefined)}
        />
      )}
      {status === "supported" && choices.length > MOST_BUTTONS && (
        <select
          className={classes(inputClass, styles["list"])}
          aria-label={label}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value || undefined)}
        >
          <option value="">{standard}</option>
          {value !== undefined && misfit !== undefined && <option value={value}>{words(value)}</option>}
          {choices
            .filter((choice) => choice !== "voice_default")
            .map((choice) => (
              <option key={choice} value={choice}>
                {words(choice)}
              </option>
            ))}
        </select>
      )}
      {status === "fixed" && <Fixed text={words(capability.value ?? "")} />}
      {status === "unknown" && value !== undefined && <Kept text={words(value)} onRemove={() => onChange(undefined)} />}
      {misfit === undefined ? (
        reason !== undefined && <Remark>{reason}</Remark>
      ) : (
        <Misfit text={`The persona asks for “${words(value!)}”. ${misfit}`} onRemove={() => onChange(undefined)} />
      )}
    </>
  );
}

type NumberControlProps = {
  label: string;
  capability: NumberCapability;
  value: number | undefined;
  onChange: ((value: number | undefined) => void) | undefined;
};

/** The values are factors, and 1 is the normal value. */
export function NumberControl({ label, capability, value, onChange }: NumberControlProps) {
  const { status, reason, range } = capability;
  const misfit = numberMisfitOf(capability, value);
  if (onChange === undefined) return <ReadOnly text={String(value ?? 1)} />;
  return (
    <>
      {status === "supported" && range && (
        <div className={styles["range"]}>
          <input
            type="range"
            aria-label={label}
            min={range.minimum}
            max={range.maximum}
            step={range.step}
            value={value ?? 1}
            onChange={({ target }) => onChange(Number(target.value))}
          />
          <p>
            <span>{range.minimum}</span>
            <b>{value ?? 1}</b>
            <span>{range.maximum}</span>
          </p>
        </div>
      )}
      {status === "fixed" && <Fixed text={String(capability.value ?? 1)} />}
      {status === "unknown" && value !== undefined && (
        <Kept text={String(value)} onRemove={() => onChange(undefined)} />
      )}
      {misfit === undefined ? (
        reason !== undefined && <Remark>{reason}</Remark>
      ) : (
        <Misfit text={`The persona asks for ${value}. ${misfit}`} onRemove={() => onChange(undefined)} />
      )}
    </>
  );
}

/** Notice that the models do not support a stored value, with a button that removes the value. */
export function Misfit({ text, onRemove }: { text: ReactNode; onRemove: () => void }) {
  return (
    <Notice
      kind="failed"
      action={
        <Button small onClick={onRemove}>
          Remove it
        </Button>
      }
    >
      {text}
    </Notice>
  );
}

/** Stored value for which it is unknown whether the models support it, with a button that removes it. */
function Kept({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span className={styles["choices"]}>
      {text}
      <Button small look="quiet" onClick={onRemove}>
        Remove it
      </Button>
    </span>
  );
}
