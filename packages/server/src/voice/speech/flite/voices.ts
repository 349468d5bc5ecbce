import { createHash } from "node:crypto";

export const BUILT_IN = { provider: "built_in", model: "flite" } as const;

/** The range of speaking rates at which the built-in voices are intelligible, as factors. */
export const BUILT_IN_SPEED = { minimum: 0.5, maximum: 2 } as const;

export const BUILT_IN_VOICES = ["slt", "rms", "awb", "kal16", "kal"] as const;
export type BuiltInVoice = (typeof BUILT_IN_VOICES)[number];

export const isBuiltInVoice = (id: string): id is BuiltInVoice => BUILT_IN_VOICES.includes(id as BuiltInVoice);

/** The built-in voices for personas without a voice. The voice `kal` is not among them, because it is `kal16` at half the sample rate. */
const CHOSEN_VOICES: readonly BuiltInVoice[] = ["slt", "rms", "awb", "kal16"];

/** Returns the built-in voice of a persona. The same id always gives the same voice. */
export function builtInVoiceOf(personaId: string): BuiltInVoice {
  const [first] = createHash("sha256").update(personaId).digest();
  return CHOSEN_VOICES[first! % CHOSEN_VOICES.length]!;
}
