import { type Answer, type Operations, SvcError } from "@svc/sdk";
import { sameValue } from "../editing/merge.ts";

export const EMPTY_PERSONA: PersonaContent = { name: "", traits: {}, models: {} };

const FIELDS: Record<string, keyof PersonaErrors> = {
  name: "name",
  "traits.personality": "personality",
  "traits.language": "language",
  "models.llm": "llm",
};

export type PersonaContent = { name: string; traits: Traits; models: Models };

export const personaContentOf = ({ name, traits, models }: Persona): PersonaContent => ({ name, traits, models });

export const defined = <T extends object>(members: { [M in keyof T]: T[M] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== "")) as T;

/** Returns the content as the service would store it: with trimmed texts, and without members that have no value. */
export const tidiedPersona = ({ name, traits, models }: PersonaContent): PersonaContent => ({
  name: name.trim(),
  traits: defined({ ...traits, personality: traits.personality?.trim(), language: traits.language?.trim() }),
  models: defined({ ...models, llm: models.llm?.trim() }),
});

type PersonaFields = { name?: string; traits?: Traits; models?: Models };

export function changedPersonaFields(base: PersonaContent, content: PersonaContent): PersonaFields | undefined {
  const draft = tidiedPersona(content);
  const fields = {
    ...(draft.name !== base.name && { name: draft.name }),
    ...(!sameValue(draft.traits, base.traits) && { traits: draft.traits }),
    ...(!sameValue(draft.models, base.models) && { models: draft.models }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** A new name alone creates no version. */
export function personaChangeOf(base: PersonaContent, content: PersonaContent) {
  const fields = changedPersonaFields(base, content);
  return {
    isChanged: fields !== undefined,
    makesVersion: fields?.traits !== undefined || fields?.models !== undefined,
  };
}

/** The errors by field. `form` has an error that belongs to no field. */
export type PersonaErrors = {
  name?: string | undefined;
  personality?: string | undefined;
  language?: string | undefined;
  llm?: string | undefined;
  form?: string | undefined;
};

export function personaErrorsOf(error: unknown): PersonaErrors {
  if (!(error instanceof SvcError)) return { form: String((error as Error).message) };
  if (error.code === "name_taken") return { name: error.message };
  const { issues = [] } = error.details as { issues?: { path: string; message: string }[] };
  const errors: PersonaErrors = {};
  for (const { path, message } of issues) {
    const field = FIELDS[path];
    if (field !== undefined) errors[field] ??= message;
  }
  return Object.keys(errors).length > 0 ? errors : { form: error.message };
}

export const modelText = ({ provider, model }: SpeechModelName): string => `${provider} / ${model}`;

export function personaLines({ traits, models }: { traits: Traits; models: Models }): string[] {
  const { backgroundNoise: noise } = traits;
  const members: [string, string | number | undefined][] = [
    ["Character", traits.personality],
    ["Pace", traits.pace],
    ["Patience", traits.patience],
    ["Interrupts", traits.interruptionStyle],
    ["Confirms", traits.confirmationStyle],
    ["Hesitates", traits.disfluency],
    ["Background", noise && [noise.kind, noise.level].filter(Boolean).join(", ")],
    ["Language model", models.llm],
    ["Speaks with", models.tts && modelText(models.tts)],
    ["Hears with", models.stt && modelText(models.stt)],
    ["Voice", models.voiceId],
    ["Language", traits.language],
    ["Accent", traits.accent],
    ["Emotion", traits.emotion],
    ["Speed", models.speed],
    ["Volume", models.volume],
  ];
  return members.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
}

/** Example: `fast, low patience, interrupts sometimes`. */
export function mannerInWords({
  pace,
  patience,
  interruptionStyle,
  confirmationStyle,
  disfluency,
  emotion,
  backgroundNoise,
}: Traits): string {
  const CONFIRMS = { brief: undefined, repeats: "repeats to confirm", spells: "spells", vague: "confirms vaguely" };
  const words = [
    emotion !== "neutral" && emotion,
    pace !== "normal" && pace,
    patience !== undefined && patience !== "medium" && `${patience} patience`,
    interruptionStyle !== undefined && interruptionStyle !== "never" && `interrupts ${interruptionStyle}`,
    confirmationStyle && CONFIRMS[confirmationStyle],
    disfluency !== undefined && disfluency !== "none" && `${disfluency === "some" ? "some" : "many"} fillers`,
    backgroundNoise && (backgroundNoise.kind === "line" ? "a poor line" : `noise: ${backgroundNoise.kind}`),
  ].filter(Boolean);
  return words.length === 0 ? "ordinary" : words.join(", ");
}

export type Persona = Answer<Operations["personas"]["get"]>["persona"];

export type Traits = Persona["traits"];

export type Models = Persona["models"];

export type SpeechModelName = NonNullable<Models["tts"]>;

/** An undefined value removes a trait. */
export type SetTraits = ((traits: { [T in keyof Traits]?: Traits[T] | undefined }) => void) | undefined;

export type SetModels = ((models: { [M in keyof Models]?: Models[M] | undefined }) => void) | undefined;
