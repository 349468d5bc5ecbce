import type { SpeechSelection } from "./queries.ts";
import type { Models, Traits } from "./persona-types.ts";

/** Returns the selection whose capabilities a persona's form shows; undefined without a speech synthesis model. */
export function selectionOf({ language }: Traits, { tts, stt, voiceId }: Models): SpeechSelection | undefined {
  if (tts === undefined) return undefined;
  return {
    tts,
    ...(stt !== undefined && { stt }),
    ...(language !== undefined && isLanguageTag(language) && { language }),
    ...(voiceId !== undefined && { voiceId }),
  };
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
