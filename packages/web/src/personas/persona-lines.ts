import type { Models, SpeechModelName, Traits } from "./persona-types.ts";

export const modelText = ({ provider, model }: SpeechModelName): string => `${provider} / ${model}`;

/** Returns the content of a version as lines, for a diff. Members without a value have no line. */
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

/** Returns the manner of a persona in a few words, such as `fast, low patience, interrupts sometimes`. */
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
