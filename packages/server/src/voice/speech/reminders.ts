import { BUILT_IN } from "./flite/voices.ts";
import type { CallerVoice } from "./speech.ts";

const REMINDERS: Record<string, string> = {
  en: "Hello? Are you still there?",
  de: "Hallo? Sind Sie noch da?",
  es: "¿Hola? ¿Sigue ahí?",
  fr: "Allô ? Vous êtes toujours là ?",
  it: "Pronto? È ancora in linea?",
  ja: "もしもし?聞こえていますか?",
  nl: "Hallo? Bent u er nog?",
  pl: "Halo? Czy słychać mnie?",
  pt: "Alô? Ainda está aí?",
  zh: "喂?您还在吗?",
};

/** How people take a call, by the same languages. */
const HELLOS: Record<string, string> = {
  en: "Hello?",
  de: "Hallo?",
  es: "¿Diga?",
  fr: "Allô ?",
  it: "Pronto?",
  ja: "もしもし?",
  nl: "Hallo?",
  pl: "Halo?",
  pt: "Alô?",
  zh: "喂?",
};

/**
 * Returns the sentence with which a caller asks whether the agent is still there. Returns null when the language is unknown or has no
 * translation, because words of another language would change the test.
 */
export function reminderOf({ provider, language }: Pick<CallerVoice, "provider" | "language">): string | null {
  return inLanguageOf(REMINDERS, { provider, language });
}

/** Returns the word with which a person takes a call of the agent; null as for `reminderOf`. */
export const helloOf = (voice: Pick<CallerVoice, "provider" | "language">): string | null =>
  inLanguageOf(HELLOS, voice);

function inLanguageOf(
  texts: Record<string, string>,
  { provider, language }: Pick<CallerVoice, "provider" | "language">,
): string | null {
  const tag = language ?? (provider === BUILT_IN.provider ? "en" : null);
  return tag === null ? null : (texts[new Intl.Locale(tag).language] ?? null);
}
