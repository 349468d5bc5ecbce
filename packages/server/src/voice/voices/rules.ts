import type { ListedVoice, VoiceListing } from "../capabilities/voice-listing.ts";

const CHOICES_OF_MODEL = 2_000;
const ANY_MODEL = "";
const FRESH_MS = 5 * 60_000;
const PUBLIC_FRESH_MS = 60 * 60_000;
const STALE_MS = 24 * 3_600_000;

/** Voices that a provider listed at one time, sorted by `arrange`. `cut` is true when the provider has more voices. */
export type VoiceCatalog = { voices: ListedVoice[]; cut: boolean; fetchedAtMs: number };

/** Why a provider listed no voices. `refused` is true when the provider rejected the key. */
export type ListingFailure = { reason: string; refused: boolean };

export function addVoice(voices: Map<string, ListedVoice>, voice: ListedVoice): void {
  const earlier = voices.get(voice.id);
  if (!earlier || (earlier.source === "standard" && voice.source === "account")) voices.set(voice.id, voice);
}

/** Sorts the voices, and limits the number of voices that are offered for each model. */
export function arrange(voices: Iterable<ListedVoice>): { voices: ListedVoice[]; cut: boolean } {
  const { compare } = new Intl.Collator("en");
  const sorted = [...voices].sort(
    (a, b) => a.source.localeCompare(b.source) || compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
  const counts = new Map<string, number>();
  const offered = sorted.filter(({ models }) => {
    const buckets = models?.length ? models : [ANY_MODEL];
    const isOffered = buckets.some((model) => (counts.get(model) ?? 0) < CHOICES_OF_MODEL);
    for (const model of buckets) counts.set(model, (counts.get(model) ?? 0) + 1);
    return isOffered;
  });
  return { voices: offered, cut: offered.length < sorted.length };
}

export const isFresh = (catalog: VoiceCatalog, isPublic: boolean, nowMs: number) =>
  nowMs - catalog.fetchedAtMs < (isPublic ? PUBLIC_FRESH_MS : FRESH_MS);

export type ListingOutcome = { catalog: VoiceCatalog } | { failure: ListingFailure };

/** Returns the fetched voices. After a failure it returns an older copy, but never after a rejected key. */
export function listingOf(
  outcome: ListingOutcome,
  { copy, standardOnly, nowMs }: { copy: VoiceCatalog | undefined; standardOnly: boolean; nowMs: number },
): VoiceListing {
  if ("catalog" in outcome) return listed(outcome.catalog, standardOnly);
  const { reason, refused } = outcome.failure;
  const ageMs = copy && nowMs - copy.fetchedAtMs;
  if (refused || ageMs === undefined || ageMs >= STALE_MS) return { state: "failed", reason };
  return { ...listed(copy!, standardOnly), ageSeconds: Math.max(0, Math.floor(ageMs / 1000)) };
}

const listed = ({ voices, cut }: VoiceCatalog, standardOnly: boolean) => ({
  state: "listed" as const,
  voices,
  standardOnly,
  ...(cut && { cut }),
});
