import { z } from "zod";
import { capabilityName } from "../voice/capabilities.ts";
import { LIMITS } from "../core/limits.ts";
import { textUpTo } from "../core/texts.ts";

const named = (description: string) => capabilityName.meta({ description });

const isLanguageTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
};

const language = named("Language of the caller, as a BCP 47 tag. Default: the language of the scenario.")
  .refine(isLanguageTag, "Send a BCP 47 language tag, such as `en` or `pt-BR`.")
  .meta({ example: "pt-BR", override: { pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$" } });

const BackgroundNoise = z.strictObject({
  kind: z.enum(["home", "office", "cafe", "crowd", "street", "car", "wind", "line"]).meta({
    description: "Surroundings of the caller. `line` is a poor phone line with hiss, crackle and lost words.",
  }),
  level: z.enum(["low", "medium", "high"]).optional().meta({
    description:
      "How loud the noise is: 20 (`low`), 10 (`medium`) or 5 dB (`high`) quieter than the voice. Default: `medium`.",
  }),
});

/**
 * Traits of a persona: how it behaves and sounds. Every trait is optional and has a default. The values of `accent` and `emotion`
 * depend on the speech synthesis model; `GET /v1/persona-capabilities` lists them.
 */
export const PersonaTraits = z
  .strictObject({
    personality: textUpTo(LIMITS.personalityCharacters)
      .optional()
      .meta({ description: "The caller's character and behavior, in plain text. Default: an ordinary caller." }),
    language: language.optional(),
    accent: named("Accent that the speech synthesis model supports. Default: the voice's own accent.").optional(),
    emotion: named("Emotion that the speech synthesis model supports. Default: neutral.").optional(),
    pace: z.enum(["slow", "normal", "fast"]).optional().meta({
      description: "How fast the caller speaks. `models.speed` sets the same as a number. Default: `normal`.",
    }),
    backgroundNoise: BackgroundNoise.optional().meta({ description: "Default: a quiet room." }),
    interruptionStyle: z
      .enum(["never", "sometimes", "often"])
      .optional()
      .meta({ description: "How often the caller talks over the agent. Default: `never`." }),
    patience: z
      .enum(["low", "medium", "high"])
      .optional()
      .meta({ description: "How long the caller tolerates waits and repeated questions. Default: `medium`." }),
    confirmationStyle: z.enum(["brief", "repeats", "spells", "vague"]).optional().meta({
      description:
        "How the caller confirms: with one word, by repeating the agent's words, letter by letter, or without a clear yes. Default: `brief`.",
    }),
    disfluency: z
      .enum(["none", "some", "much"])
      .optional()
      .meta({ description: "How often the caller uses fillers, false starts and repeated words. Default: `none`." }),
  })
  .meta({ id: "PersonaTraits" });

const Model = z.strictObject({
  provider: named("Provider, such as `openai`."),
  model: named("Name of the provider's model."),
});

const multiple = (quantity: string) =>
  z
    .number()
    .min(LIMITS.multipleMin)
    .max(LIMITS.multipleMax)
    .meta({ description: `${quantity} as a multiple of the normal value. Default: 1.` });

/**
 * Models that play a persona. `llm` and `stt` default to the models in the service's settings. Without `tts`, a built-in voice speaks
 * English.
 *
 * With `tts`, `GET /v1/persona-capabilities` must list the voice, language, accent, emotion, speed and volume as supported. A given `stt`
 * limits what is supported.
 */
export const PersonaModels = z
  .strictObject({
    llm: named(
      "Language model that writes the caller's words, by its name at the service's model endpoint.",
    ).optional(),
    stt: Model.optional().meta({
      description: "Speech recognition model of the caller. Default: the model of the service, if it has one.",
    }),
    tts: Model.optional().meta({
      description: "Speech synthesis model of the caller. Default: a built-in voice, which speaks English.",
    }),
    voiceId: named("Id of a voice of the synthesis provider. Default: the provider's first suitable voice.").optional(),
    speed: multiple("Speaking rate").optional(),
    volume: multiple("Speech volume").optional(),
  })
  .refine(({ voiceId, tts }) => voiceId === undefined || tts !== undefined, {
    path: ["tts"],
    message: "Send `tts` together with `voiceId`, because a voice belongs to a provider.",
  })
  .meta({ id: "PersonaModels" });
