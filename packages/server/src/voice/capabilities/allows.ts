import type { NumberCapability, PersonaCapabilities, TextCapability } from "@svc/contract";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { toTag } from "./language-tag.ts";
import { voicesOf } from "./members/voices.ts";
import { type ModelName, pairOf } from "./pair.ts";
import { resolve } from "./resolve.ts";
import type { VoiceListing } from "./voice-listing.ts";

/** `volume` and `speed` are factors. */
export type VoiceTraits = {
  language?: string | undefined;
  voiceId?: string | undefined;
  accent?: string | undefined;
  emotion?: string | undefined;
  speed?: number | undefined;
  volume?: number | undefined;
};

export type TraitRefusal = { member: keyof PersonaCapabilities; reason: string };

/** Returns why the capabilities do not allow the traits; undefined when they do. A trait with unknown capabilities allows every value. */
export function refusalOf(
  models: { tts: ModelName; stt?: ModelName },
  traits: VoiceTraits,
  catalogue: Catalogue,
  voices: VoiceListing,
): TraitRefusal | undefined {
  const { language, voiceId, accent, emotion, speed, volume } = traits;
  const selection = {
    ...models,
    ...(language !== undefined && { language }),
    ...(voiceId !== undefined && { voiceId }),
  };
  const pair = pairOf(selection, catalogue);
  if ("refused" in pair) {
    return { member: "refused" in pairOf(models, catalogue) ? "voices" : "language", reason: pair.refused };
  }

  const allowed = resolve(selection, catalogue, voices);
  const refused = (member: keyof PersonaCapabilities, reason: string | undefined): TraitRefusal | undefined =>
    reason === undefined ? undefined : { member, reason };
  return (
    refused("voices", voicesOf(pair, voices).ruledOut ? allowed.voices.reason : undefined) ??
    refused("language", language === undefined ? undefined : textFault(allowed.language, toTag(language)!)) ??
    refused("accent", accent === undefined ? undefined : textFault(allowed.accent, accent)) ??
    refused("emotion", emotion === undefined ? undefined : textFault(allowed.emotion, emotion)) ??
    refused("speed", speed === undefined ? undefined : numberFault(allowed.speed, speed)) ??
    refused("speechVolume", volume === undefined ? undefined : numberFault(allowed.speechVolume, volume))
  );
}

function textFault({ status, reason, value, choices }: TextCapability, wanted: string): string | undefined {
  if (status === "unknown" || value === wanted || choices?.includes(wanted)) return undefined;
  if (status !== "supported") return reason;
  return `"${wanted}" is not one of ${choices!.join(", ")}.`;
}

const WHOLE_STEPS = 1e-9;

function numberFault({ status, reason, value, range }: NumberCapability, wanted: number): string | undefined {
  if (status === "unknown" || value === wanted) return undefined;
  if (!range) return reason;
  const { minimum, maximum, step } = range;
  const steps = (wanted - minimum) / step;
  if (wanted >= minimum && wanted <= maximum && Math.abs(steps - Math.round(steps)) < WHOLE_STEPS) return undefined;
  return `${wanted} is not among ${minimum} to ${maximum} in steps of ${step}.`;
}
