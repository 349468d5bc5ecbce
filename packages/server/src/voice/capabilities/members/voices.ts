import type { CapabilityVoice, VoiceCapability } from "@svc/contract";
import type { Pair } from "../pair.ts";
import type { ListedVoice, VoiceListing } from "../voice-listing.ts";
import { fixed, type MemberWithoutValue, sentences, supported, unknown, unsupported } from "./member.ts";

type VoiceChoice = {
  member: VoiceCapability;
  /** The selected voice, or the only possible voice. Undefined when neither the catalogue nor the listing contains it. */
  chosen: ListedVoice | undefined;
  /** Reason why only the volume can be set for this voice; undefined when other traits can be set. */
  conflict: MemberWithoutValue | undefined;
  /** Whether it is certain that the requested voice does not work with this model. */
  ruledOut: boolean;
};

export function voicesOf(pair: Pair, listing: VoiceListing): VoiceChoice {
  const { speaker, voiceInName } = pair;
  const { pool, whole } = poolOf(pair, listing);
  const speaks = ({ models }: ListedVoice) => !models || models.some((model) => speaker.names.has(model));
  const choices = pool.filter(speaks);
  const only = whole && choices.length === 1 ? choices[0] : undefined;
  const asked = voiceInName ?? pair.voiceId;
  const found = pool.find(({ id }) => id === asked);
  const fits = found !== undefined && speaks(found);
  const missing = asked === undefined || fits ? undefined : aboutMissing(pair, asked, found, whole);
  const chosen = found ?? only;

  return {
    member: withNotice(memberOf(), speaker.notice),
    chosen,
    conflict: chosen && conflictOf(pair, chosen, speaks(chosen)),
    ruledOut:
      (missing !== undefined && (whole || found !== undefined)) ||
      (voiceInName !== undefined && pair.voiceId !== undefined && pair.voiceId !== voiceInName),
  };

  function memberOf(): VoiceCapability {
    if (voiceInName !== undefined) {
      return fits ? fixed(shown(found), "The model's name decides the voice.") : unknown(missing!);
    }
    if (only) return fixed(shown(only), sentences(`It is the only voice of ${speaker.label}.`, missing)!);
    const aboutList = aboutListing(pair, listing);
    if (choices.length === 0 || (listing.state === "failed" && !speaker.voices.closed)) {
      const none =
        listing.state === "listed" ? `${pair.provider.name} lists no voice for ${speaker.label}.` : undefined;
      return unknown(sentences(none, aboutList, missing)!);
    }
    return supported(choices.map(shown), sentences(missing, aboutList), fits ? shown(found) : undefined);
  }
}

/** Returns the voices from which a person can choose. `whole` is true when the provider has no other voices. */
function poolOf({ speaker }: Pair, listing: VoiceListing): { pool: readonly ListedVoice[]; whole: boolean } {
  const { closed, known, accepts } = speaker.voices;
  if (closed) return { pool: known, whole: accepts === undefined };
  if (listing.state !== "listed") return { pool: known, whole: false };
  return { pool: listing.voices, whole: !listing.standardOnly && listing.cut !== true };
}

const shown = ({ id, name, source, presentation, languages, accents }: ListedVoice): CapabilityVoice => ({
  id,
  name,
  source,
  presentation,
  languages,
  accents,
});

const doesNotSpeak = (voice: ListedVoice, { speaker }: Pair) =>
  `The voice "${voice.name}" is not a voice of ${speaker.label}.`;

function conflictOf(pair: Pair, voice: ListedVoice, fits: boolean): MemberWithoutValue | undefined {
  if (!fits) return unsupported(doesNotSpeak(voice, pair));
  if (voice.professionalClone !== true || voice.models) return undefined;
  return unknown(`The models of the professional clone "${voice.name}" are not known; refresh the voices.`);
}

function aboutMissing(pair: Pair, asked: string, found: ListedVoice | undefined, whole: boolean): string {
  if (found) return doesNotSpeak(found, pair);
  if (whole) return `${pair.provider.name} has no voice "${asked}" for ${pair.speaker.label}.`;
  return sentences(`The voice "${asked}" cannot be verified.`, pair.speaker.voices.accepts)!;
}

function aboutListing({ provider: { name }, speaker }: Pair, listing: VoiceListing): string | undefined {
  const { closed, known } = speaker.voices;
  if (closed) return undefined;
  switch (listing.state) {
    case "listed":
      return sentences(
        listing.ageSeconds === undefined
          ? undefined
          : `Loaded ${age(listing.ageSeconds)} ago; ${name} could not be reached.`,
        listing.standardOnly ? `Standard voices only; add your ${name} key to list those of your account.` : undefined,
        listing.cut === true ? `Only the first ${listing.voices.length} voices are shown.` : undefined,
      );
    case "failed":
      return listing.reason;
    case "no_key":
      return known.length > 0
        ? `Known standard voices only; add your ${name} key to list all.`
        : `Add your ${name} key to list its voices.`;
    case "not_listable":
      return known.length > 0
        ? "Known voices only; there may be others."
        : `The voices of ${name} cannot be listed here.`;
  }
}

function age(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function withNotice(member: VoiceCapability, notice: string | undefined): VoiceCapability {
  return notice === undefined ? member : { ...member, reason: sentences(member.reason, notice) };
}
