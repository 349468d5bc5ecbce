import { joined, type Merge, mergeValue } from "../editing/merge.ts";
import { type Models, modelText, type PersonaContent, tidiedPersona, type Traits } from "./persona-content.ts";

const TRAITS: Record<keyof Traits, string> = {
  personality: "Character",
  pace: "Pace",
  patience: "Patience",
  interruptionStyle: "Interrupts",
  confirmationStyle: "Confirms",
  disfluency: "Hesitates",
  backgroundNoise: "Background noise",
  language: "Language",
  accent: "Accent",
  emotion: "Emotion",
};
const MODELS = { llm: "Language model", stt: "Hears with", speed: "Speed", volume: "Volume" } as const;

const shown = (value: unknown): string[] =>
  value === undefined
    ? []
    : [typeof value === "object" ? Object.values(value as object).join(", ") : `${value as string | number}`];

export function mergePersonas(
  base: PersonaContent,
  draft: PersonaContent,
  theirs: PersonaContent,
): Merge<PersonaContent> {
  const mine = tidiedPersona(draft);
  const name = mergeValue("name", "Name", { base: base.name, mine: mine.name, theirs: theirs.name });
  const traits = Object.entries(TRAITS).map(([member, label]) => {
    const key = member as keyof Traits;
    const sides = { base: base.traits[key], mine: mine.traits[key], theirs: theirs.traits[key] };
    return [key, mergeValue<unknown>(`traits.${key}`, label, sides, shown)] as const;
  });
  const models = Object.entries(MODELS).map(([member, label]) => {
    const key = member as keyof typeof MODELS;
    const sides = { base: base.models[key], mine: mine.models[key], theirs: theirs.models[key] };
    return [key, mergeValue<unknown>(`models.${key}`, label, sides, shown)] as const;
  });
  // A voice belongs to a model, so both change together.
  const voice = mergeValue(
    "models.tts",
    "Voice",
    { base: voiceOf(base.models), mine: voiceOf(mine.models), theirs: voiceOf(theirs.models) },
    ({ tts, voiceId }) => [...(tts ? [`Speaks with ${modelText(tts)}`] : []), ...(voiceId ? [`Voice ${voiceId}`] : [])],
  );
  const members = (
    merges: readonly (readonly [string, Merge<unknown>])[],
    choices: Parameters<Merge<unknown>["result"]>[0],
  ) =>
    Object.fromEntries(
      merges.map(([key, merge]) => [key, merge.result(choices)]).filter(([, value]) => value !== undefined),
    );
  return {
    ...joined([name, ...traits.map(([, merge]) => merge), voice, ...models.map(([, merge]) => merge)]),
    result: (choices) => ({
      name: name.result(choices),
      traits: members(traits, choices),
      models: { ...members(models, choices), ...voice.result(choices) },
    }),
  };
}

const voiceOf = ({ tts, voiceId }: Models): Pick<Models, "tts" | "voiceId"> => ({
  ...(tts && { tts }),
  ...(voiceId !== undefined && { voiceId }),
});
