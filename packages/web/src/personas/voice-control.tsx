import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { inputClass } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { type Capabilities, languageInWords } from "./capability.ts";
import { Misfit } from "./capability-control.tsx";
import { Fixed, ReadOnly, Remark } from "./form-row.tsx";
import styles from "./persona.module.css";

type VoiceControlProps = {
  voices: Capabilities["voices"];
  value: string | undefined;
  onChange: ((voiceId: string | undefined) => void) | undefined;
};

/** If there are more voices than this, the control is a list instead of buttons. */
const MOST_BUTTONS = 30;

/** A remark about a voice, such as its planned shutdown, is shown as a notice. */
export function VoiceControl({
  voices: { status, reason, choices = [], value: only },
  value,
  onChange,
}: VoiceControlProps) {
  const chosen = choices.find(({ id }) => id === value);
  if (onChange === undefined) return <ReadOnly text={chosen?.name ?? value ?? "the provider's first suitable voice"} />;
  const isMisfit = value !== undefined && status !== "unknown" && chosen === undefined && only?.id !== value;
  return (
    <>
      {status === "supported" && choices.length <= MOST_BUTTONS && (
        <div className={styles["voices"]} role="radiogroup" aria-label="Voice">
          <VoiceButton name="First suitable" isChosen={value === undefined} onChoose={() => onChange(undefined)} />
          {choices.map(({ id, name, source }) => (
            <VoiceButton
              key={id}
              name={source === "account" ? `${name} (your account)` : name}
              isChosen={id === value}
              onChoose={() => onChange(id)}
            />
          ))}
        </div>
      )}
      {status === "supported" && choices.length > MOST_BUTTONS && (
        <select
          className={classes(inputClass, styles["list"])}
          aria-label="Voice"
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value || undefined)}
        >
          <option value="">The first suitable voice</option>
          {choices.map(({ id, name, languages }) => (
            <option key={id} value={id}>
              {languages.length === 1 ? `${name}, ${languageInWords(languages[0]!)}` : name}
            </option>
          ))}
        </select>
      )}
      {status === "fixed" && <Fixed text={only?.name ?? ""} />}
      {status === "unknown" && value !== undefined && (
        <span className={styles["choices"]}>
          <code>{value}</code>
          <Button small look="quiet" onClick={() => onChange(undefined)}>
            Remove it
          </Button>
        </span>
      )}
      {isMisfit && (
        <Misfit
          text={
            <>
              The persona asks for the voice <code>{value}</code>, which is not one of these.
            </>
          }
          onRemove={() => onChange(undefined)}
        />
      )}
      {reason !== undefined &&
        (status === "supported" ? <Notice kind="warning">{reason}</Notice> : <Remark>{reason}</Remark>)}
    </>
  );
}

type VoiceButtonProps = { name: string; isChosen: boolean; onChoose: () => void };

const VoiceButton = ({ name, isChosen, onChoose }: VoiceButtonProps) => (
  <label className={classes(styles["voice"], isChosen && styles["chosen"])}>
    <input type="radio" name="voice" className="visually-hidden" checked={isChosen} onChange={onChoose} />
    {name}
  </label>
);
