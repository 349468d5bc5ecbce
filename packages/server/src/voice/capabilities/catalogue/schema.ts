import { z } from "zod";
import { toTag } from "../language-tag.ts";

// In the catalogue, `reason` is text for users, and `note` tells maintainers the source of a fact.

const note = z.string().min(1).optional();
const reason = z.string().regex(/^[A-Za-z].*\.$/, "a sentence");
const code = z.string().refine((text) => toTag(text) !== undefined, "a language tag, or an ISO 639-3 code");

export const Sources = z.strictObject({ version: z.iso.date(), sources: z.record(z.string(), z.string().min(1)) });

/** `codes`: the provider's codes, or a map from language tags to the provider's codes. `modes`: values that are not languages. */
export const LanguageLists = z.record(
  z.string(),
  z.strictObject({
    codes: z.union([z.array(code).min(1), z.record(code, z.string())]),
    modes: z.array(z.string()).optional(),
    note,
  }),
);

const KnownVoice = z.strictObject({
  name: z.string().min(1),
  presentation: z.enum(["male", "female", "neutral", "unknown"]).default("unknown"),
  languages: z.array(code).default([]),
  accents: z.array(z.string().min(1)).default([]),
});

export const VoiceLists = z.record(z.string(), z.strictObject({ voices: z.record(z.string(), KnownVoice), note }));

const names = z.array(z.string().min(1)).min(1);

/** `styleMeans` maps a canonical emotion to the styles that express it. */
export const Delivery = z.strictObject({
  emotions: z.object({ canonical: names }).catchall(names),
  accents: z.object({ instructed: names }).catchall(names),
  styleMeans: z.record(z.string(), names),
  styles: z.strictObject({ source: z.string(), ofVoice: z.record(z.string(), names), note }),
});

/**
 * `closed`: the catalogue contains all voices, and `accepts` describes voices that the provider accepts but never lists. `listed`: the
 * provider lists its voices, and `known` names the list of its standard voices. `inModelName`: the id of a voice is also the name of a
 * model.
 */
const Voices = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("closed"), list: z.string(), accepts: reason.optional(), note }),
  z.strictObject({ kind: z.literal("listed"), known: z.string().optional(), inModelName: z.boolean().default(false) }),
]);

/**
 * The languages of a model. `list` is the name of a list, or codes. `unverified` are codes that the provider does not document; `reason`
 * explains why they are listed.
 */
const languages = {
  list: z.union([z.string(), z.array(code).min(1)]),
  unverified: z.union([z.literal("all"), z.array(code).min(1)]).optional(),
  reason: reason.optional(),
  note,
};
const SpokenLanguages = z.strictObject({
  ...languages,
  list: languages.list.optional(),
  /** Whether each voice has its own languages. */
  perVoice: z.boolean().default(false),
});

const none = z.strictObject({ kind: z.literal("none"), reason: reason.optional(), note });
const unknown = z.strictObject({ kind: z.literal("unknown"), reason, note });
const instructed = z.strictObject({ kind: z.literal("instructed"), via: z.string(), note });

/** Accents of a model. `voice`: the voice determines the accent. `steered`: the user chooses among the accents of the voice. */
const Accents = z.discriminatedUnion("kind", [
  none,
  unknown,
  instructed,
  z.strictObject({ kind: z.literal("voice"), note }),
  z.strictObject({ kind: z.literal("steered"), note }),
]);

/** Emotions of a model. `styles`: each voice has its own list of styles. */
const Emotions = z.discriminatedUnion("kind", [
  none,
  unknown,
  instructed,
  z.strictObject({ kind: z.literal("styles"), note }),
  z.strictObject({
    kind: z.literal("listed"),
    list: z.string(),
    onlyLanguages: z.array(code).optional(),
    reason: reason.optional(),
    note,
  }),
]);

const WHOLE_STEPS = 1e-9;
const Range = z
  .strictObject({
    kind: z.literal("range"),
    minimum: z.number().positive().max(1),
    maximum: z.number().min(1),
    step: z.number().positive(),
    onlyLanguages: z.array(code).optional(),
    reason: reason.optional(),
    note,
  })
  .refine(({ minimum, maximum, step }) => {
    const steps = (maximum - minimum) / step;
    return Math.abs(steps - Math.round(steps)) < WHOLE_STEPS;
  }, "whole steps from the minimum to the maximum");

const Speed = z.discriminatedUnion("kind", [
  Range,
  unknown,
  z.strictObject({ kind: z.literal("fixed"), reason, note }),
]);

const citations = z.array(z.string()).min(1);

/** A text-to-speech model with all required members. */
export const SpeakingModel = z.strictObject({
  voices: Voices,
  languages: SpokenLanguages,
  accents: Accents,
  emotions: Emotions,
  speed: Speed,
  professionalCloneSpeed: z.strictObject({ reason, note }).optional(),
  /** The service does not use the provider's own volume setting; it scales the sound that the provider returns. */
  nativeVolume: z
    .strictObject({ unit: z.literal("dB"), minimum: z.number(), maximum: z.number(), note })
    .partial()
    .optional(),
  shutdown: z.iso.date().optional(),
  sources: citations,
  note,
});

/** `like` names another model, whose members are copied when they are absent here. `aliasOf` makes this entry an alias of another model. */
const AuthoredModel = SpeakingModel.partial().extend({ like: z.string().optional(), aliasOf: z.string().optional() });

const provider = {
  name: z.string().min(1),
  aliases: z.array(z.string()).default([]),
  closed: reason.optional(),
  sources: citations.optional(),
};

export const TextToSpeech = z.record(
  z.string(),
  z.strictObject({
    ...provider,
    /** Notes for maintainers about how the provider lists its voices. */
    voiceListing: z.record(z.string(), z.unknown()).optional(),
    accentListing: z.string().optional(),
    models: z.record(z.string(), AuthoredModel),
  }),
);

export const SpeechToText = z.record(
  z.string(),
  z.strictObject({
    ...provider,
    models: z.record(
      z.string(),
      z.strictObject({
        languages: z.strictObject(languages).optional(),
        closed: reason.optional(),
        sources: citations,
        note,
      }),
    ),
  }),
);
