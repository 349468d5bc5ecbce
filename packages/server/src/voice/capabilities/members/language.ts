import type { TextCapability } from "@svc/contract";
import type { LanguageSupport } from "../catalogue/lists.ts";
import { common, covers, type Languages, languagesOf, type Tag } from "../language-tag.ts";
import type { Pair } from "../pair.ts";
import type { ListedVoice } from "../voice-listing.ts";
import { fixed, supported, unknown, unsupported } from "./member.ts";

/** `spoken` is the language of the selection; undefined when the selection has no language and several languages are possible. */
type LanguageChoice = { member: TextCapability; spoken?: Tag };

export function languageOf(pair: Pair, chosen: ListedVoice | undefined): LanguageChoice {
  const { speaker, recognizer, language } = pair;
  const ofVoice = speaker.perVoice ? voiceLanguages(chosen) : undefined;
  if (!ofVoice && !speaker.languages) return { member: unknown(speaker.languagesReason ?? aboutVoice(pair, chosen)) };
  const sides = [ofVoice, speaker.languages, recognizer?.languages].filter((side) => side !== undefined);

  if (language !== undefined) {
    const lacking = sides.find(({ possible }) => !covers(possible, language));
    if (lacking) {
      const who = lacking === ofVoice ? `The voice "${chosen?.name}"` : speaker.label;
      return { member: unsupported(`${who} does not speak ${language}.`) };
    }
    const doubted = sides.find(({ sure }) => !covers(sure, language));
    if (doubted) return { member: unknown(doubted.reason!), spoken: language };
  }

  const shared = sharedBy(sides.map(({ sure }) => sure));
  const who = recognizer ? `${speaker.label} and ${recognizer.label} have in common` : `${speaker.label} speaks`;
  if (shared.length === 0) {
    const doubted = sides.find(({ sure, possible }) => sure !== possible);
    if (doubted && sharedBy(sides.map(({ possible }) => possible)).length > 0)
      return { member: unknown(doubted.reason!) };
    return { member: unsupported(`There is no language that ${who}.`) };
  }
  if (shared.length === 1) {
    const value = language ?? shared[0]!;
    return { member: fixed(value, `${shared[0]} is the only language that ${who}.`), spoken: value };
  }
  if (language === undefined) return { member: supported(shared, speaker.languages?.reason) };
  const choices = [...new Set([...shared, language])].sort();
  return { member: supported(choices, speaker.languages?.reason, language), spoken: language };
}

function voiceLanguages(voice: ListedVoice | undefined): LanguageSupport | undefined {
  const languages = languagesOf(voice?.languages ?? []);
  return languages.tags.size > 0 ? { sure: languages, possible: languages, reason: undefined } : undefined;
}

function aboutVoice({ voiceId }: Pair, chosen: ListedVoice | undefined): string {
  if (chosen ?? voiceId) return `The languages of the voice "${chosen?.name ?? voiceId}" are not known.`;
  return "Choose a voice: each voice has its own languages.";
}

const sharedBy = ([first, ...others]: Languages[]): Tag[] => (first ? common(first, others) : []);
