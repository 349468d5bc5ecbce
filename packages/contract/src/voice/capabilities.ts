import { z } from "zod";
import { readsOrganization } from "../core/access.ts";
import { LIMITS } from "../core/limits.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId, yesOrNo } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { NO_RECOGNIZER } from "./recognizer.ts";

/** Range of numbers: `minimum`, `minimum + step`, `minimum + 2 * step` and so on, up to `maximum`. */
export const CapabilityRange = z
  .strictObject({ minimum: z.number(), maximum: z.number(), step: z.number() })
  .meta({ id: "CapabilityRange", description: "Numbers from `minimum` to `maximum` in steps of `step`." });
export type CapabilityRange = z.infer<typeof CapabilityRange>;

/** Voice that a persona can use. `languages` contains BCP 47 tags; it is empty when the languages are unknown. */
export const CapabilityVoice = z
  .strictObject({
    id: z.string().meta({ description: "Id of the voice at its provider." }),
    name: z.string(),
    source: z.enum(["standard", "account"]).meta({
      description: "`standard`: public voice of the provider. `account`: voice of the organization's provider account.",
    }),
    presentation: z.enum(["male", "female", "neutral", "unknown"]),
    languages: z.array(z.string()),
    accents: z.array(z.string()),
  })
  .meta({ id: "CapabilityVoice", description: "A voice that a persona can use." });
export type CapabilityVoice = z.infer<typeof CapabilityVoice>;

const STATUSES = ["supported", "fixed", "unsupported", "unknown"] as const;

const capability = <T extends z.ZodType>(value: T) =>
  z.strictObject({
    status: z.enum(STATUSES).meta({
      description:
        "`supported`: choose one of `choices` or a number in `range`. `fixed`: only `value` is possible. `unsupported`: not possible with this selection. `unknown`: the provider does not publish it.",
    }),
    reason: z
      .string()
      .optional()
      .meta({ description: "Explanation for people; present unless the status is `supported`." }),
    choices: z.array(value).optional(),
    value: value.optional().meta({ description: "Value that results from the selection, when there is exactly one." }),
    range: CapabilityRange.optional(),
  });

/** Voices that a selection of speech models supports. */
export const VoiceCapability = capability(CapabilityVoice).meta({ id: "VoiceCapability" });
export type VoiceCapability = z.infer<typeof VoiceCapability>;
/** Language tags, accents or emotions that a selection of speech models supports. */
export const TextCapability = capability(z.string()).meta({ id: "TextCapability" });
export type TextCapability = z.infer<typeof TextCapability>;
/** Factors of speed or volume that a selection of speech models supports. 1 is the normal value. */
export const NumberCapability = capability(z.number()).meta({ id: "NumberCapability" });
export type NumberCapability = z.infer<typeof NumberCapability>;

/**
 * Voice options of a persona with one text-to-speech and one speech-to-text model. `speed` and `speechVolume` are factors; 1 is the
 * normal value of the voice. The service itself changes the volume. An edit, a voice sample and a run of the persona report the same
 * status and reason.
 */
export const PersonaCapabilities = z
  .strictObject({
    voices: VoiceCapability,
    language: TextCapability.meta({
      description: "BCP 47 tags that the speech synthesis speaks and the speech recognition understands.",
    }),
    accent: TextCapability.meta({ description: "`voice_default` is the voice's own accent." }),
    emotion: TextCapability.meta({ description: "`neutral` requests no emotion." }),
    speed: NumberCapability,
    speechVolume: NumberCapability,
  })
  .meta({ id: "PersonaCapabilities", description: "The voice options of a persona with one pair of speech models." });
export type PersonaCapabilities = z.infer<typeof PersonaCapabilities>;

const SpeechModel = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    notice: z.string().nullable().meta({ description: "Notice of a past or coming shutdown; null without one." }),
    access: z.enum(["ready", "needs_key", "not_used"]).meta({
      description:
        "`ready`: calls of the organization can use the model. `needs_key`: the service has no key of its provider for the organization. `not_used`: the service knows its options, but cannot call it.",
    }),
  })
  .meta({ id: "SpeechModel", description: "A speech model in the service's catalogue." });

const NO_CONTROL_CHARACTERS = /^\P{Cc}*$/u;

/** Schema of a provider's name for a model, a voice, an accent or an emotion. */
export const capabilityName = textUpTo(LIMITS.capabilityNameCharacters).refine(
  (text) => NO_CONTROL_CHARACTERS.test(text),
  "Remove the control characters.",
);

const tag = "Personas";

/** Voice options that speech models support. */
export const capabilities = {
  /**
   * Returns the voices, languages, accents, emotions, speeds and volumes of a text-to-speech model. The languages are limited to
   * those that the speech-to-text model understands.
   *
   * An unknown model, voice or language is not an error: the answer contains a status with a reason. The same applies when a provider
   * does not respond.
   */
  get: getOperation({
    path: "/v1/persona-capabilities",
    summary: "Show the voice options of speech models",
    description:
      "An unknown model, voice or language, and a provider that does not respond, result in a status with a reason, not in an error. A `language` that is not a well-formed BCP 47 tag is refused with 422.",
    tag,
    query: z.strictObject({
      projectId,
      ttsProvider: capabilityName.meta({ description: "Provider of the text-to-speech model, such as `openai`." }),
      ttsModel: capabilityName,
      sttProvider: capabilityName.meta({
        description: `Provider of the speech-to-text model. With \`${NO_RECOGNIZER}\`, no speech-to-text model limits the languages.`,
      }),
      sttModel: capabilityName.meta({
        description: `Name of the speech-to-text model; \`${NO_RECOGNIZER}\` when \`sttProvider\` is \`${NO_RECOGNIZER}\`.`,
      }),
      language: capabilityName.optional().meta({ description: "BCP 47 tag, such as `en` or `en-GB`." }),
      voiceId: capabilityName.optional().meta({
        description: "Id of a voice. Limits the answer to the languages, accents and emotions of this voice.",
      }),
      refresh: yesOrNo.optional().meta({
        description:
          "`true` requests the voices from the provider now instead of using the stored list. Default `false`.",
      }),
    }),
    answer: PersonaCapabilities,
    errors: ["unprocessable"],
  }),

  /** Lists all speech models in the service's catalogue, sorted by provider. */
  models: getOperation({
    ...readsOrganization,
    path: "/v1/persona-capability-models",
    summary: "List the known speech models",
    tag,
    answer: z.strictObject({
      version: z.iso.date().meta({ description: "Date of the catalogue." }),
      textToSpeech: z.array(SpeechModel),
      speechToText: z.array(SpeechModel),
    }),
  }),
};
