import type { TextCapability } from "@svc/contract";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Pair } from "../pair.ts";
import type { ListedVoice } from "../voice-listing.ts";
import { fixed, supported, unknown } from "./member.ts";

const VOICE_DEFAULT = "voice_default";

export function accentOf(catalogue: Catalogue, { speaker, voiceId }: Pair, chosen?: ListedVoice): TextCapability {
  const { accents } = speaker;
  const own = chosen?.accents ?? [];
  switch (accents.kind) {
    case "none":
      return fixed(VOICE_DEFAULT, accents.reason ?? `${speaker.label} has no setting for accents.`);
    case "unknown":
      return unknown(accents.reason);
    case "instructed":
      return supported(withDefault(catalogue.instructedAccents), `Asked for ${accents.via}.`);
    case "voice":
      return fixed(
        VOICE_DEFAULT,
        own.length > 0
          ? `The voice "${chosen?.name}" has its own accent: ${own.join(", ")}.`
          : "Each voice has its own accent; choose a voice with the accent that you want.",
      );
    case "steered":
      if (own.length > 0) return supported(withDefault(own));
      if (chosen) return fixed(VOICE_DEFAULT, `The provider lists no accents for the voice "${chosen.name}".`);
      return unknown(
        voiceId === undefined
          ? "Choose a voice: each voice has its own accents."
          : `The accents of the voice "${voiceId}" are not known.`,
      );
  }
}

const withDefault = (accents: readonly string[]): string[] => [...new Set([VOICE_DEFAULT, ...accents])];
