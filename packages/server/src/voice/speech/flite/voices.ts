import { createHash } from "node:crypto";

/** The name of the built-in voices' provider and of their model. */
export const BUILT_IN = { provider: "built_in", model: "flite" } as const;

/** The factors of speaking rate at which the built-in voices are intelligible. */
export const BUILT_IN_SPEED = { minimum: 0.5, maximum: 2 } as const;

/** The names of the built-in voices in flite. */
export const BUILT_IN_VOICES = ["slt", "rms", "awb", "kal16", "kal"] as const;
export type BuiltInVoice = (typeof BUILT_IN_VOICES)[number];

export const isBuiltInVoice = (id: string): id is BuiltInVoice => BUILT_IN_VOICES.includes(id as BuiltInVoice);

/** The voices for personas without a voice: without `kal`, which is the sound of `kal16` at half its rate. */
const CHOSEN_VOICES: readonly BuiltInVoice[] = ["slt", "rms", "awb", "kal16"];

/** Returns the built-in voice of a persona without a voice; the same for the same id. */
export function builtInVoiceOf(personaId: string): BuiltInVoice {
  const [first] = createHash("sha256").update(personaId).digest();
  return CHOSEN_VOICES[first! % CHOSEN_VOICES.length]!;
}
