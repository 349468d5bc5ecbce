import type { Models, SpeechModelName, Traits } from "./persona-content.ts";

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
