import { type Languages, languagesOf } from "../language-tag.ts";
import type { ListedVoice } from "../voice-listing.ts";
import delivery from "./delivery.json" with { type: "json" };
import languageLists from "./languages.json" with { type: "json" };
import { Delivery, LanguageLists, VoiceLists } from "./schema.ts";
import voiceLists from "./voices.json" with { type: "json" };

/** Languages of a model. `sure`: languages that the provider lists. `possible`: languages that any source lists. */
export type LanguageSupport = { sure: Languages; possible: Languages; reason: string | undefined };

type AuthoredLanguages = {
  list?: string | string[] | undefined;
  unverified?: "all" | string[] | undefined;
  reason?: string | undefined;
};

export type Lists = ReturnType<typeof readLists>;

export function readLists() {
  const languages = LanguageLists.parse(languageLists);
  const voices = VoiceLists.parse(voiceLists);
  const { emotions, accents, styleMeans, styles } = Delivery.parse(delivery);

  const codesOf = (list: string | string[]): string[] => {
    if (typeof list !== "string") return list;
    const { codes } = named(languages, list);
    return Array.isArray(codes) ? codes : Object.keys(codes);
  };

  return {
    languages({ list, unverified = [], reason }: AuthoredLanguages): LanguageSupport | undefined {
      if (list === undefined) return undefined;
      const codes = codesOf(list);
      const possible = languagesOf(codes);
      if (unverified.length === 0) return { sure: possible, possible, reason };
      const sure = unverified === "all" ? [] : codes.filter((code) => !unverified.includes(code));
      return { sure: languagesOf(sure), possible, reason };
    },

    voices(list: string | undefined): ListedVoice[] {
      const standard = list === undefined ? {} : named(voices, list).voices;
      return Object.entries(standard).map(([id, voice]) => ({ id, source: "standard", ...voice }));
    },

    emotions(list: string): string[] {
      const all = named(emotions, list);
      return [...new Set([...emotions.canonical.filter((emotion) => all.includes(emotion)), ...all])];
    },

    canonicalEmotions: emotions.canonical,
    instructedAccents: accents.instructed,
    styleMeans: new Map(Object.entries(styleMeans)),
    stylesOfVoice: new Map(Object.entries(styles.ofVoice)),
  };
}

export function named<T>(lists: Record<string, T>, name: string): T {
  const list = lists[name];
  if (list === undefined) throw new Error(`The catalogue refers to the list "${name}", which it does not contain.`);
  return list;
}
