import type { z } from "zod";
import { type Languages, languagesOf } from "../language-tag.ts";
import type { ListedVoice } from "../voice-listing.ts";
import { type LanguageSupport, type Lists, named, readLists } from "./lists.ts";
import { Sources, SpeakingModel, SpeechToText, TextToSpeech } from "./schema.ts";
import sources from "./sources.json" with { type: "json" };
import speechToText from "./speech-to-text.json" with { type: "json" };
import textToSpeech from "./text-to-speech.json" with { type: "json" };

type Authored = z.output<typeof SpeakingModel>;
type Limited<T> = Omit<T, "onlyLanguages"> & { onlyLanguages: Languages | undefined };
type Kind<T extends { kind: string }, K> = Extract<T, { kind: K }>;

/** A text-to-speech model of the catalogue, with all references to lists resolved. */
export type Speaker = {
  id: string;
  /** Name of the form `provider/model`, as people write it. */
  label: string;
  /** The model's id and its aliases. */
  names: ReadonlySet<string>;
  /** `closed`: the catalogue contains all voices. `accepts` describes voices that the provider accepts but never lists. */
  voices: { closed: boolean; known: readonly ListedVoice[]; accepts: string | undefined; inModelName: boolean };
  /** Undefined when no list covers the languages of all voices. */
  languages: LanguageSupport | undefined;
  perVoice: boolean;
  languagesReason: string | undefined;
  accents: Authored["accents"];
  emotions:
    | Exclude<Authored["emotions"], { kind: "listed" }>
    | (Limited<Kind<Authored["emotions"], "listed">> & { choices: readonly string[] });
  speed: Exclude<Authored["speed"], { kind: "range" }> | Limited<Kind<Authored["speed"], "range">>;
  professionalCloneSpeed: string | undefined;
  /** Announcement of the date on which the provider shuts the model down; undefined without a date. */
  notice: string | undefined;
};

/** A speech recognition model. `closed` is the reason why the model cannot be used in a conversation; undefined when it can. */
export type Recognizer = {
  id: string;
  label: string;
  languages: LanguageSupport | undefined;
  closed: string | undefined;
};

export type Provider<Model> = {
  id: string;
  name: string;
  /** Reason why the provider no longer serves models; undefined when it still does. */
  closed: string | undefined;
  listsVoices: boolean;
  models: ReadonlyMap<string, Model>;
};

export type Catalogue = Pick<Lists, "canonicalEmotions" | "instructedAccents" | "styleMeans" | "stylesOfVoice"> & {
  /** The day on which the facts were collected. */
  version: string;
  /** Providers by id and by alias. */
  textToSpeech: ReadonlyMap<string, Provider<Speaker>>;
  speechToText: ReadonlyMap<string, Provider<Recognizer>>;
};

let catalogue: Catalogue | undefined;

/** Throws when a file violates its schema or refers to a missing list. */
export const readCatalogue = (): Catalogue => (catalogue ??= read());

function read(): Catalogue {
  const lists = readLists();
  return {
    ...lists,
    version: Sources.parse(sources).version,

    textToSpeech: byEveryName(TextToSpeech.parse(textToSpeech), ({ name, models }, provider) => {
      const whole = (id: string): Authored => {
        const { like, aliasOf: _, ...own } = named(models, id);
        return SpeakingModel.parse({ ...(like !== undefined && whole(like)), ...own });
      };
      const firstName = (id: string) => models[id]!.aliasOf ?? id;
      return Object.keys(models).map((id) => ({
        ...speakerOf(whole(id), lists, `${name} has announced that it shuts ${id} down on`),
        id,
        label: `${provider}/${id}`,
        names: new Set(Object.keys(models).filter((other) => firstName(other) === firstName(id))),
      }));
    }),

    speechToText: byEveryName(SpeechToText.parse(speechToText), ({ models }, provider) =>
      Object.entries(models).map(([id, { languages, closed }]) => ({
        id,
        label: `${provider}/${id}`,
        languages: languages && lists.languages(languages),
        closed,
      })),
    ),
  };
}

function speakerOf(model: Authored, lists: Lists, shutsDown: string): Omit<Speaker, "id" | "label" | "names"> {
  const { voices, languages, emotions, speed, shutdown } = model;
  const closed = voices.kind === "closed";
  return {
    voices: {
      closed,
      known: lists.voices(closed ? voices.list : voices.known),
      accepts: closed ? voices.accepts : undefined,
      inModelName: !closed && voices.inModelName,
    },
    languages: lists.languages(languages),
    perVoice: languages.perVoice,
    languagesReason: languages.reason,
    accents: model.accents,
    emotions: emotions.kind === "listed" ? { ...limited(emotions), choices: lists.emotions(emotions.list) } : emotions,
    speed: speed.kind === "range" ? limited(speed) : speed,
    professionalCloneSpeed: model.professionalCloneSpeed?.reason,
    notice: shutdown && `${shutsDown} ${shutdown}.`,
  };
}

const limited = <T extends { onlyLanguages?: string[] | undefined }>(authored: T): Limited<T> => ({
  ...authored,
  onlyLanguages: authored.onlyLanguages && languagesOf(authored.onlyLanguages),
});

type AuthoredProvider = { name: string; aliases: string[]; closed?: string | undefined; voiceListing?: unknown };

function byEveryName<A extends AuthoredProvider, Model extends { id: string }>(
  authored: Record<string, A>,
  modelsOf: (provider: A, id: string) => Model[],
): Map<string, Provider<Model>> {
  return new Map(
    Object.entries(authored).flatMap(([id, provider]) => {
      const { name, aliases, closed } = provider;
      const models = new Map(modelsOf(provider, id).map((model) => [model.id, model]));
      const whole = { id, name, closed, listsVoices: provider.voiceListing !== undefined, models };
      return [id, ...aliases].map((alias) => [alias, whole] as const);
    }),
  );
}
