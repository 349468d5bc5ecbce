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

const language = named("Language that the caller speaks, a BCP-47 tag. Absent: the language of the scenario.").refine(
  isLanguageTag,
  "Send a BCP-47 language tag, such as `en` or `pt-BR`.",
);

const BackgroundNoise = z.strictObject({
  kind: z
    .enum(["home", "office", "cafe", "crowd", "street", "car", "wind", "line"])
    .meta({ description: "Where the caller is; `line` is a poor connection: hiss, crackle and lost words." }),
  level: z
    .enum(["low", "medium", "high"])
    .optional()
    .meta({ description: "How much it covers the voice. Absent: `medium`." }),
});

/**
 * How a persona behaves and sounds. Every trait is optional. What a trait's absence means stands with it. `accent` and
 * `emotion` are words of the chosen synthesis model: `GET /v1/persona-capabilities` lists those that it takes.
 */
export const PersonaTraits = z
  .strictObject({
    personality: textUpTo(LIMITS.personalityCharacters)
      .optional()
      .meta({ description: "Who calls and how they behave, in plain text. Absent: nobody in particular." }),
    language: language.optional(),
    accent: named("An accent that the synthesis model takes. Absent: the voice's own.").optional(),
    emotion: named("An emotion that the synthesis model takes. Absent: neutral.").optional(),
    pace: z.enum(["slow", "normal", "fast"]).optional().meta({
      description: "How fast the caller speaks; `models.speed` says it in numbers. Absent: `normal`.",
    }),
    backgroundNoise: BackgroundNoise.optional().meta({ description: "Absent: a quiet room." }),
    interruptionStyle: z
      .enum(["never", "sometimes", "often"])
      .optional()
      .meta({ description: "How often the caller talks over the agent. Absent: `never`." }),
    patience: z
      .enum(["low", "medium", "high"])
      .optional()
      .meta({ description: "How long the caller bears waits and repeated questions. Absent: `medium`." }),
    confirmationStyle: z.enum(["brief", "repeats", "spells", "vague"]).optional().meta({
      description:
        "How the caller confirms: a word, repeating what was said, letter by letter, or without a clear yes. Absent: `brief`.",
    }),
    disfluency: z
      .enum(["none", "some", "much"])
      .optional()
      .meta({ description: "Fillers, false starts and repeated words. Absent: `none`." }),
  })
  .meta({ id: "PersonaTraits" });

const Model = z.strictObject({ provider: named("Provider, such as `openai`."), model: named("Its model.") });

const multiple = (of: string) =>
  z
    .number()
    .min(LIMITS.multipleMin)
    .max(LIMITS.multipleMax)
    .meta({ description: `${of} as a multiple of the normal one. Absent: 1.` });

/**
 * Which models play the persona; each that is absent is the deployment's. With `tts` the voice, language, accent, emotion,
 * speed and volume must be what `GET /v1/persona-capabilities` tells of it, and of `stt` when that is given too.
 */
export const PersonaModels = z
  .strictObject({
    llm: named("Model that decides what the caller says, as the deployment's model endpoint names it.").optional(),
    stt: Model.optional().meta({ description: "Speech recognition by which the caller hears." }),
    tts: Model.optional().meta({ description: "Speech synthesis by which the caller speaks." }),
    voiceId: named("Voice of the synthesis provider. Absent: the provider's first that fits.").optional(),
    speed: multiple("Speaking rate").optional(),
    volume: multiple("Speech volume").optional(),
  })
  .refine(({ voiceId, tts }) => voiceId === undefined || tts !== undefined, {
    path: ["tts"],
    message: "Send `tts` with `voiceId`: a voice belongs to a provider.",
  })
  .meta({ id: "PersonaModels" });
