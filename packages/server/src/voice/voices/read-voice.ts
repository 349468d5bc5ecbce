import { z } from "zod";
import type { ListedVoice } from "../capabilities/voice-listing.ts";
import { createRecentCache } from "../../base/async/recent-cache.ts";

const ID = /^\P{C}{1,256}$/u;
const NAME_CHARACTERS = 200;
const LANGUAGES = 150;
const ACCENTS = 20;
const WORD_CHARACTERS = 100;
const MODELS = 50;
const EMOTIONS = 100;

/** Schema of a member of a voice that may be missing or malformed. The member is then undefined, and the voice is listed nevertheless. */
export const maybe = <S extends z.ZodType>(schema: S) => schema.nullish().catch(undefined);
export const maybeText = maybe(z.string());
export const maybeTexts = maybe(z.array(z.unknown())).transform((list) =>
  (list ?? []).filter((item) => typeof item === "string"),
);

export const rowReader =
  <S extends z.ZodType>(schema: S, toVoice: (row: z.output<S>) => ListedVoice | undefined) =>
  (row: unknown): ListedVoice | undefined => {
    const read = schema.safeParse(row);
    return read.success ? toVoice(read.data) : undefined;
  };

/** Returns a voice with its texts and lists truncated to the limits of the service. */
export function toListedVoice(read: {
  id: string;
  name: string | null | undefined;
  isStandard: boolean;
  gender?: string | null | undefined;
  languages?: readonly (string | null | undefined)[];
  accents?: readonly (string | null | undefined)[];
  models?: readonly string[] | undefined;
  emotions?: readonly string[] | undefined;
  professionalClone?: boolean;
}): ListedVoice | undefined {
  if (!ID.test(read.id)) return undefined;
  return {
    id: read.id,
    name: line(read.name ?? "", NAME_CHARACTERS) || read.id.slice(0, NAME_CHARACTERS),
    source: read.isStandard ? "standard" : "account",
    presentation: presentationOf(read.gender),
    languages: distinct((read.languages ?? []).flatMap(languageTag)).slice(0, LANGUAGES),
    accents: distinct((read.accents ?? []).map((accent) => line(accent ?? "", WORD_CHARACTERS))).slice(0, ACCENTS),
    ...(read.models && { models: words(read.models).slice(0, MODELS) }),
    ...(read.emotions && { emotions: words(read.emotions).slice(0, EMOTIONS) }),
    ...(read.professionalClone && { professionalClone: true }),
  };
}

const PRESENTATIONS: Record<string, ListedVoice["presentation"]> = {
  male: "male",
  masculine: "male",
  female: "female",
  feminine: "female",
  neutral: "neutral",
  gender_neutral: "neutral",
  nonbinary: "neutral",
  "non-binary": "neutral",
};

const presentationOf = (gender: string | null | undefined) => PRESENTATIONS[gender?.toLowerCase() ?? ""] ?? "unknown";

export const genderAmong = (words: readonly string[]) => words.find((word) => presentationOf(word) !== "unknown");

const TAG = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$/;
const tags = createRecentCache<string[]>(2_000);

/** Returns a list with the BCP 47 tag for a provider's code, such as `eng`, `EN_US` or `cmn-CN`. */
function languageTag(text: string | null | undefined): string[] {
  if (!text || !TAG.test(text)) return [];
  let tag = tags.get(text);
  if (!tag) tags.set(text, (tag = canonicalTag(text.replaceAll("_", "-"))));
  return tag;
}

function canonicalTag(text: string): string[] {
  try {
    return Intl.getCanonicalLocales(text);
  } catch {
    return [];
  }
}

const line = (text: string, characters: number) =>
  text
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, characters);

const words = (texts: readonly string[]) => distinct(texts).filter((text) => text.length <= WORD_CHARACTERS);

const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text !== ""))];

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
