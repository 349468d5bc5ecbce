import { z } from "zod";
import { toTag } from "../language-tag.ts";

/** How the catalogue's files are written. `reason` is read by authors, `note` says where a fact comes from. */

const note = z.string().min(1).optional();
const reason = z.string().regex(/^[A-Za-z].*\.$/, "a sentence");
const code = z.string().refine((text) => toTag(text) !== undefined, "a language tag, or an ISO 639-3 code");

export const Sources = z.strictObject({ version: z.iso.date(), sources: z.record(z.string(), z.string().min(1)) });

/** Codes as the provider writes them, or by tag what the provider writes. `modes` are values that are no language. */
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

/** Standard voices by id. */
export const VoiceLists = z.record(z.string(), z.strictObject({ voices: z.record(z.string(), KnownVoice), note }));

const names = z.array(z.string().min(1)).min(1);

/** `styleMeans`: the styles by which a voice expresses one of the canonical emotions. */
export const Delivery = z.strictObject({
  emotions: z.object({ canonical: names }).catchall(names),
  accents: z.object({ instructed: names }).catchall(names),
  styleMeans: z.record(z.string(), names),
  styles: z.strictObject({ source: z.string(), ofVoice: z.record(z.string(), names), note }),
});

/**
 * `closed`: the list is all there is, but for voices that the provider `accepts` unlisted. `listed`: the provider lists
 * them, `known` are those that are known without asking. `inModelName`: a voice's id serves as a model's name too.
 */
const Voices = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("closed"), list: z.string(), accepts: reason.optional(), note }),
  z.strictObject({ kind: z.literal("listed"), known: z.string().optional(), inModelName: z.boolean().default(false) }),
]);

/** `list`: the name of a list, or its codes. `unverified`: which of them the provider itself does not state; why, in `reason`. */
const languages = {
  list: z.union([z.string(), z.array(code).min(1)]),
  unverified: z.union([z.literal("all"), z.array(code).min(1)]).optional(),
  reason: reason.optional(),
  note,
};
const SpokenLanguages = z.strictObject({
  ...languages,
  list: languages.list.optional(),
  /** A voice speaks its own languages alone. */
  perVoice: z.boolean().default(false),
});

const none = z.strictObject({ kind: z.literal("none"), reason: reason.optional(), note });
const unknown = z.strictObject({ kind: z.literal("unknown"), reason, note });
const instructed = z.strictObject({ kind: z.literal("instructed"), via: z.string(), note });

/** `voice`: it belongs to the voice. `steered`: one chooses among the voice's own. */
const Accents = z.discriminatedUnion("kind", [
  none,
  unknown,
  instructed,
  z.strictObject({ kind: z.literal("voice"), note }),
  z.strictObject({ kind: z.literal("steered"), note }),
]);

/** `styles`: the voice has a list of its own. */
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

/** Once `like` is followed, every member but the optional ones is there. */
export const SpeakingModel = z.strictObject({
  voices: Voices,
  languages: SpokenLanguages,
  accents: Accents,
  emotions: Emotions,
  speed: Speed,
  professionalCloneSpeed: z.strictObject({ reason, note }).optional(),
  /** What the provider can do itself; the service changes the volume of the sound that comes. */
  nativeVolume: z
    .strictObject({ unit: z.literal("dB"), minimum: z.number(), maximum: z.number(), note })
    .partial()
    .optional(),
  /** The day that the provider announced. */
  shutdown: z.iso.date().optional(),
  sources: citations,
  note,
});

/** `like`: as another model of the provider, but for what stands here. `aliasOf`: another name of the same model. */
const AuthoredModel = SpeakingModel.partial().extend({ like: z.string().optional(), aliasOf: z.string().optional() });

const provider = {
  name: z.string().min(1),
  aliases: z.array(z.string()).default([]),
  /** Why the provider serves nothing any more. */
  closed: reason.optional(),
  sources: citations.optional(),
};

export const TextToSpeech = z.record(
  z.string(),
  z.strictObject({
    ...provider,
    /** How the provider lists voices: for people, who look here when a listing changes. */
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
        /** Why it cannot take part in a conversation. */
        closed: reason.optional(),
        sources: citations,
        note,
      }),
    ),
  }),
);
