import { z } from "zod";
import { readsOrganization, readsProject } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { projectId, yesOrNo } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

/** Numbers from `minimum` to `maximum`, each a whole number of `step`s above the minimum. */
export const CapabilityRange = z
  .strictObject({ minimum: z.number(), maximum: z.number(), step: z.number() })
  .meta({ id: "CapabilityRange", description: "Numbers from the minimum to the maximum in whole steps." });
export type CapabilityRange = z.infer<typeof CapabilityRange>;

/** A voice that can be chosen. Languages are BCP 47 tags; an empty list says that they are not known. */
export const CapabilityVoice = z
  .strictObject({
    id: z.string().meta({ description: "What the provider takes as the voice." }),
    name: z.string(),
    source: z.enum(["standard", "account"]).meta({ description: "`account`: of the organization's own account." }),
    presentation: z.enum(["male", "female", "neutral", "unknown"]),
    languages: z.array(z.string()),
    accents: z.array(z.string()),
  })
  .meta({ id: "CapabilityVoice", description: "A voice that can be chosen." });
export type CapabilityVoice = z.infer<typeof CapabilityVoice>;

const STATUSES = ["supported", "fixed", "unsupported", "unknown"] as const;

const capability = <T extends z.ZodType>(value: T) =>
  z.strictObject({
    status: z.enum(STATUSES).meta({
      description:
        "`supported`: one of `choices`, or of `range`. `fixed`: `value` and nothing else. `unsupported`: not with this selection. `unknown`: the provider does not say.",
    }),
    reason: z.string().optional().meta({ description: "For people. Always there unless `supported`." }),
    choices: z.array(value).optional(),
    value: value.optional().meta({ description: "What the selection comes to, when it says or leaves one." }),
    range: CapabilityRange.optional(),
  });

/** Which voices can be chosen. */
export const VoiceCapability = capability(CapabilityVoice).meta({ id: "VoiceCapability" });
export type VoiceCapability = z.infer<typeof VoiceCapability>;
/** Which texts can be chosen: language tags, accents, emotions. */
export const TextCapability = capability(z.string()).meta({ id: "TextCapability" });
export type TextCapability = z.infer<typeof TextCapability>;
/** Which numbers can be chosen: factors, where 1 is the natural one. */
export const NumberCapability = capability(z.number()).meta({ id: "NumberCapability" });
export type NumberCapability = z.infer<typeof NumberCapability>;

/**
 * What a persona can be given with one pair of speech models. `speed` and `speechVolume` are factors, 1 is the voice's
 * own; the service itself changes the volume. Status and reason hold for authoring, preview and execution alike.
 */
export const PersonaCapabilities = z
  .strictObject({
    voices: VoiceCapability,
    language: TextCapability.meta({ description: "BCP 47 tags that the one model speaks and the other recognizes." }),
    accent: TextCapability.meta({ description: "`voice_default` is the voice's own." }),
    emotion: TextCapability.meta({ description: "`neutral` is to ask for none." }),
    speed: NumberCapability,
    speechVolume: NumberCapability,
  })
  .meta({ id: "PersonaCapabilities", description: "What a persona can be given with one pair of speech models." });
export type PersonaCapabilities = z.infer<typeof PersonaCapabilities>;

const SpeechModel = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    notice: z.string().nullable().meta({ description: "That it is shut down, or will be; else null." }),
  })
  .meta({ id: "SpeechModel", description: "A speech model that the lookup knows." });

const NO_CONTROL_CHARACTERS = /^\P{Cc}*$/u;

/** Text by which a provider names a model, a voice or a way to speak. */
export const capabilityName = textUpTo(LIMITS.capabilityNameCharacters).refine(
  (text) => NO_CONTROL_CHARACTERS.test(text),
  "Leave control characters out.",
);

const tag = "Personas";

/** What speech models support. */
export const capabilities = {
  /**
   * Which voices, languages, accents, emotions, speeds and volumes a pair of speech models has. An unknown model, voice
   * or language, and a provider that does not answer, are statuses with their reasons and no refusals.
   */
  get: operation({
    method: "GET",
    path: "/v1/persona-capabilities",
    summary: "Show what a pair of speech models supports",
    description:
      "An unknown model, voice or language, and a provider that does not answer, are statuses with their reasons and no refusals. `language` must be a well-formed BCP 47 tag (else 422).",
    tag,
    ...readsProject,
    query: z.strictObject({
      projectId,
      ttsProvider: capabilityName.meta({ description: "Provider of the text-to-speech model, such as `openai`." }),
      ttsModel: capabilityName,
      sttProvider: capabilityName.meta({ description: "Provider of the speech-to-text model." }),
      sttModel: capabilityName,
      language: capabilityName.optional().meta({ description: "BCP 47 tag, such as `en` or `en-GB`." }),
      voiceId: capabilityName
        .optional()
        .meta({ description: "Id of a voice; its own languages, accents and styles count." }),
      refresh: yesOrNo.optional().meta({
        description: "Ask the provider for its voices now instead of taking the kept list. Default false.",
      }),
    }),
    status: 200,
    answer: PersonaCapabilities,
    errors: ["unprocessable"],
  }),

  /** Every speech model that the lookup knows, by provider. */
  models: operation({
    method: "GET",
    path: "/v1/persona-capability-models",
    summary: "List the known speech models",
    tag,
    ...readsOrganization,
    status: 200,
    answer: z.strictObject({
      version: z.iso.date().meta({ description: "The day of the catalogue's facts." }),
      textToSpeech: z.array(SpeechModel),
      speechToText: z.array(SpeechModel),
    }),
  }),
};
