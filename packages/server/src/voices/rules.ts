import type { ListedVoice, VoiceListing } from "../capabilities/voice-listing.ts";

const CHOICES_OF_MODEL = 2_000;
const ANY_MODEL = "";
const FRESH_MS = 5 * 60_000;
const PUBLIC_FRESH_MS = 60 * 60_000;
const STALE_MS = 24 * 3_600_000;

/** What a provider listed at one time, in order; `cut` when there are more. */
export type Catalog = { voices: ListedVoice[]; cut: boolean; fetchedAtMs: number };

/** Why a provider gave no list; `refused` when it does not take the key. */
export type Failure = { reason: string; refused: boolean };

/** Keeps one voice for each id, an account's rather than a standard one. */
export function addVoice(voices: Map<string, ListedVoice>, voice: ListedVoice): void {
  const known = voices.get(voice.id);
  if (!known || (known.source === "standard" && voice.source === "account")) voices.set(voice.id, voice);
}

/** The account's own first, then by name; for each model as many as are offered. */
export function arrange(voices: Iterable<ListedVoice>): { voices: ListedVoice[]; cut: boolean } {
  const { compare } = new Intl.Collator("en");
  const sorted = [...voices].sort(
    (a, b) => a.source.localeCompare(b.source) || compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
  const counts = new Map<string, number>();
  const kept = sorted.filter(({ models }) => {
    const buckets = models?.length ? models : [ANY_MODEL];
    const isOffered = buckets.some((model) => (counts.get(model) ?? 0) < CHOICES_OF_MODEL);
    for (const model of buckets) counts.set(model, (counts.get(model) ?? 0) + 1);
    return isOffered;
  });
  return { voices: kept, cut: kept.length < sorted.length };
}

export const isFresh = (catalog: Catalog, isPublic: boolean, nowMs: number) =>
  nowMs - catalog.fetchedAtMs < (isPublic ? PUBLIC_FRESH_MS : FRESH_MS);

export type Outcome = { catalog: Catalog } | { failure: Failure };

/** What the look-up answers: what was listed, else a copy that is not too old, else why there is none. */
export function listingOf(
  outcome: Outcome,
  { copy, standardOnly, nowMs }: { copy: Catalog | undefined; standardOnly: boolean; nowMs: number },
): VoiceListing {
  if ("catalog" in outcome) return listed(outcome.catalog, standardOnly);
  const { reason, refused } = outcome.failure;
  const ageMs = copy && nowMs - copy.fetchedAtMs;
  if (refused || ageMs === undefined || ageMs >= STALE_MS) return { state: "failed", reason };
  return { ...listed(copy!, standardOnly), ageSeconds: Math.max(0, Math.floor(ageMs / 1000)) };
}

const listed = ({ voices, cut }: Catalog, standardOnly: boolean) => ({
  state: "listed" as const,
  voices,
  standardOnly,
  ...(cut && { cut }),
});
