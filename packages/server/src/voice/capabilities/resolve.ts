import type { PersonaCapabilities } from "@svc/contract";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { accentOf } from "./members/accent.ts";
import { emotionOf } from "./members/emotion.ts";
import { languageOf } from "./members/language.ts";
import { unsupported } from "./members/member.ts";
import { speechVolume, speedOf } from "./members/speed.ts";
import { voicesOf } from "./members/voices.ts";
import { pairOf, type SpeechSelection } from "./pair.ts";
import type { VoiceListing } from "./voice-listing.ts";

/** Returns what the selected models and voice can express. A member about which nothing is known is `unknown`, with a reason. */
export function resolve(selection: SpeechSelection, catalogue: Catalogue, voices: VoiceListing): PersonaCapabilities {
  const pair = pairOf(selection, catalogue);
  if ("refused" in pair) return nothing(pair.refused);

  const { member, chosen, conflict } = voicesOf(pair, voices);
  if (conflict) {
    const rest = { language: conflict, accent: conflict, emotion: conflict, speed: conflict };
    return { voices: member, ...rest, speechVolume: speechVolume() };
  }
  const { member: language, spoken } = languageOf(pair, chosen);
  return {
    voices: member,
    language,
    accent: accentOf(catalogue, pair, chosen),
    emotion: emotionOf(catalogue, pair, chosen, spoken),
    speed: speedOf(pair, chosen, spoken),
    speechVolume: speechVolume(),
  };
}

function nothing(reason: string): PersonaCapabilities {
  const member = unsupported(reason);
  return { voices: member, language: member, accent: member, emotion: member, speed: member, speechVolume: member };
}

export function listingProviderOf(selection: SpeechSelection, catalogue: Catalogue): string | undefined {
  const pair = pairOf(selection, catalogue);
  if ("refused" in pair || pair.speaker.voices.closed || !pair.provider.listsVoices) return undefined;
  return pair.provider.id;
}
