import { inputClass } from "../ui/field.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { FormRow, ReadOnly } from "./form-row.tsx";
import styles from "./persona.module.css";
import type { SetTraits, Traits } from "./persona-content.ts";

type MannerTrait = "pace" | "patience" | "interruptionStyle" | "confirmationStyle" | "disfluency";

/** `standard` names what applies if the person chooses nothing. */
const MANNERS: Record<MannerTrait, { label: string; standard: string; choices: Record<string, string> }> = {
  pace: { label: "Pace", standard: "normal", choices: { slow: "slow", normal: "normal", fast: "fast" } },
  patience: {
    label: "Patience",
    standard: "medium",
    choices: { low: "low patience", medium: "medium", high: "high" },
  },
  interruptionStyle: {
    label: "Interrupts",
    standard: "never",
    choices: { never: "never interrupts", sometimes: "sometimes", often: "often" },
  },
  confirmationStyle: {
    label: "Confirms",
    standard: "brief",
    choices: { brief: "confirms briefly", repeats: "repeats", spells: "spells", vague: "vaguely" },
  },
  disfluency: {
    label: "Hesitates",
    standard: "none",
    choices: { none: "no fillers", some: "some", much: "many" },
  },
};
const NOISES = ["home", "office", "cafe", "crowd", "street", "car", "wind", "line"] as const;
const LEVELS = ["low", "medium", "high"] as const;

export function MannerRows({ traits, onChange }: { traits: Traits; onChange: SetTraits }) {
  return (
    <>
      <FormRow label="Manner">
        <div className={styles["choices"]}>
          {(Object.keys(MANNERS) as MannerTrait[]).map((trait) => (
            <Manner key={trait} trait={trait} traits={traits} onChange={onChange} />
          ))}
        </div>
      </FormRow>
      <FormRow label="Background noise">
        <Noise noise={traits.backgroundNoise} onChange={onChange} />
      </FormRow>
    </>
  );
}

function Manner({ trait, traits, onChange }: { trait: MannerTrait; traits: Traits; onChange: SetTraits }) {
  const { label, standard, choices } = MANNERS[trait];
  const value = traits[trait] ?? standard;
  if (onChange === undefined) return <ReadOnly text={`${label}: ${value}`} />;
  return (
    <Segmented
      label={label}
      value={value}
      options={Object.entries(choices).map(([choice, words]) => ({ value: choice, label: words }))}
      onChange={(choice) => onChange({ [trait]: choice })}
    />
  );
}

function Noise({ noise, onChange }: { noise: Traits["backgroundNoise"]; onChange: SetTraits }) {
  if (onChange === undefined)
    return <ReadOnly text={noise === undefined ? "a quiet room" : `${noise.kind}, ${noise.level ?? "medium"}`} />;
  return (
    <div className={styles["choices"]}>
      <select
        className={inputClass}
        aria-label="Kind of noise"
        value={noise?.kind ?? ""}
        onChange={({ target }) => {
          const kind = NOISES.find((one) => one === target.value);
          onChange({ backgroundNoise: kind && { ...noise, kind } });
        }}
      >
        <option value="">a quiet room</option>
        {NOISES.map((kind) => (
          <option key={kind} value={kind}>
            {kind === "line" ? "a poor phone line" : kind}
          </option>
        ))}
      </select>
      {noise && (
        <Segmented
          label="Level of the noise"
          value={noise.level ?? "medium"}
          options={LEVELS.map((level) => ({ value: level, label: level }))}
          onChange={(level) => onChange({ backgroundNoise: { ...noise, level } })}
        />
      )}
    </div>
  );
}
