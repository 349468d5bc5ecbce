import type { Answer, Operations } from "@svc/sdk";
import type { SpeechSelection } from "./queries.ts";
import type { Models, Traits } from "./persona-content.ts";

const WHOLE_STEPS = 1e-9;

export type Capabilities = Answer<Operations["capabilities"]["get"]>;

export type TextCapability = Capabilities["language"];

export type NumberCapability = Capabilities["speed"];

export type AnyCapability = Pick<TextCapability, "status" | "reason"> & {
  choices?: readonly unknown[] | undefined;
  value?: unknown;
  range?: NumberCapability["range"];
};

/** Examples: `13 choices`, `0.25 to 4`, `fixed: neutral`, `not possible`. */
export function capabilityInWords({ status, choices, value, range }: AnyCapability): string {
  if (status === "fixed") return `fixed: ${nameOf(value)}`;
  if (status === "unsupported") return "not possible";
  if (status === "unknown") return "unknown";
  if (range) return `${range.minimum} to ${range.maximum}`;
  return choices?.length === 1 ? "1 choice" : `${choices?.length ?? 0} choices`;
}

const nameOf = (value: unknown): string =>
  value !== null && typeof value === "object" && "name" in value ? String(value.name) : valueInWords(String(value));

export const valueInWords = (value: string): string =>
  value === "voice_default" ? "the voice's own" : value.replaceAll("_", " ");

/** Returns why the models do not support a value; undefined if they do. If their support is unknown, every value is allowed. */
export function misfitOf(
  { status, reason, value, choices }: TextCapability,
  wanted: string | undefined,
): string | undefined {
  if (wanted === undefined || status === "unknown" || wanted === value || choices?.includes(wanted)) return undefined;
  return status === "supported"
    ? `“${wanted}” is not one of the choices.`
    : (reason ?? "These models do not support it.");
}

export function numberMisfitOf(
  { status, reason, value, range }: NumberCapability,
  wanted: number | undefined,
): string | undefined {
  if (wanted === undefined || status === "unknown" || wanted === value) return undefined;
  if (!range) return reason ?? "These models do not support it.";
  const steps = (wanted - range.minimum) / range.step;
  const isInside = wanted >= range.minimum && wanted <= range.maximum;
  if (isInside && Math.abs(steps - Math.round(steps)) < WHOLE_STEPS) return undefined;
  return `${wanted} is not among ${range.minimum} to ${range.maximum} in steps of ${range.step}.`;
}

/** Example: `German (de)`. */
export function languageInWords(tag: string): string {
  try {
    const name = new Intl.DisplayNames("en", { type: "language" }).of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}

/** Returns the models, language and voice that decide which capabilities the form shows. */
export function selectionOf({ language }: Traits, { tts, stt, voiceId }: Models): SpeechSelection | undefined {
  if (tts === undefined) return undefined;
  return {
    tts,
    ...(stt !== undefined && { stt }),
    ...(language !== undefined && isLanguageTag(language) && { language }),
    ...(voiceId !== undefined && { voiceId }),
  };
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
