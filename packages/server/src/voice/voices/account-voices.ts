import type { ListVoices } from "../capabilities/voice-listing.ts";
import type { DeploymentKeys } from "../../base/config/config.ts";
import { AppError } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { findAccess, type ListingAccess } from "./access.ts";
import { type Bounds, BOUNDS, fetchVoices } from "./fetch-voices.ts";
import { createRecentCache } from "../../base/async/recent-cache.ts";
import { arrange, isFresh, type ListingFailure, listingOf, type ListingOutcome, type VoiceCatalog } from "./rules.ts";
import { createSharedWork } from "../../base/async/shared-work.ts";
import { lists, type ListingProvider, SOURCES } from "./sources.ts";
import type { CatalogId, CatalogStore } from "./store.ts";

const CATALOGS_IN_MEMORY = 256;
const FAILURE_HOLDS_MS = 30_000;
const BETWEEN_REFRESHES_MS = 10_000;
const REFRESHES_REMEMBERED = 10_000;

type Sources = { keys: ProviderKeyStore; deploymentKeys: DeploymentKeys; catalogs: CatalogStore; log: Log };

/** Dependencies that specs replace: the addresses of providers, the limits of a listing, and the clock. */
export type VoiceOverrides = { addressOf?: (provider: string) => URL; bounds?: Partial<Bounds>; now?: () => number };

export type AccountVoices = {
  /** Lists the voices of a provider. Throws `too_many_requests` for a second refresh within ten seconds. */
  list: ListVoices;
  close: () => void;
};

/** Concurrent requests for the same catalog share one request to the provider. */
export function openAccountVoices(
  { keys, deploymentKeys, catalogs, log }: Sources,
  around: VoiceOverrides = {},
): AccountVoices {
  const { now = Date.now, addressOf } = around;
  const bounds = { ...BOUNDS, ...around.bounds };
  const memory = createRecentCache<VoiceCatalog>(CATALOGS_IN_MEMORY);
  const failures = createRecentCache<{ failure: ListingFailure; untilMs: number }>(CATALOGS_IN_MEMORY);
  const refreshes = createRecentCache<number>(REFRESHES_REMEMBERED);
  const fetches = createSharedWork<ListingOutcome>();

  async function copyOf(id: CatalogId): Promise<VoiceCatalog | undefined> {
    const key = keyOf(id);
    const inMemory = memory.get(key);
    if (inMemory) return inMemory;
    const onDisk = await catalogs.find(id);
    const catalog = memory.get(key) ?? onDisk;
    if (catalog) memory.set(key, catalog);
    return catalog;
  }

  async function fetchCatalog(
    { id, credential, standardOnly }: ListingAccess,
    signal: AbortSignal,
  ): Promise<ListingOutcome> {
    const { provider } = id;
    const source = SOURCES[provider as ListingProvider];
    const address = addressOf?.(provider) ?? new URL(source.address(credential.region ?? ""));
    const fetched = await fetchVoices({
      provider,
      source,
      address,
      credential,
      standardOnly,
      bounds,
      signal,
      now,
    });
    if ("reason" in fetched) {
      if (!signal.aborted) {
        failures.set(keyOf(id), { failure: fetched, untilMs: now() + FAILURE_HOLDS_MS });
        log.warn({ provider, reason: fetched.reason }, "voices could not be listed");
      }
      return { failure: fetched };
    }
    const { voices, cut } = arrange(fetched.voices);
    const catalog = { voices, cut: cut || fetched.more, fetchedAtMs: now() };
    log.info({ provider, voices: voices.length, ignored_rows: fetched.ignored, cut: catalog.cut }, "voices listed");
    failures.delete(keyOf(id));
    const isCurrent = await catalogs.replace(id, catalog).catch((error: unknown) => {
      log.warn({ provider, err: error }, "voices could not be stored");
      return true;
    });
    if (isCurrent) memory.set(keyOf(id), catalog);
    return { catalog };
  }

  function limitRefreshes(organizationId: string, provider: string): void {
    const key = `${organizationId}/${provider}`;
    const waitMs = (refreshes.get(key) ?? -Infinity) + BETWEEN_REFRESHES_MS - now();
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      const message = `The voices of ${provider} were refreshed a moment ago; wait ${retryAfterSeconds} s, or ask without \`refresh\`.`;
      throw new AppError("too_many_requests", message, undefined, { retryAfterSeconds });
    }
    refreshes.set(key, now());
  }

  const list: ListVoices = async (organizationId, provider, { refresh, signal }) => {
    if (!lists(provider)) return { state: "not_listable" };
    const access = await findAccess({ keys, deploymentKeys }, organizationId, provider);
    if (access === "no_key") return { state: "no_key" };
    if (access === "unreadable")
      return { state: "failed", reason: `The stored ${provider} key cannot be opened; set it again.` };

    const { id, standardOnly, isPublic } = access;
    const insists = refresh && !isPublic;
    if (insists) limitRefreshes(organizationId, provider);
    const key = keyOf(id);
    const copy = await copyOf(id);
    const answer = (outcome: ListingOutcome) => listingOf(outcome, { copy, standardOnly, nowMs: now() });
    if (copy && !insists && isFresh(copy, isPublic, now())) return answer({ catalog: copy });
    const failed = failures.get(key);
    if (failed && !insists && now() < failed.untilMs) return answer(failed);
    try {
      return answer(await fetches.join(key, (stop) => fetchCatalog(access, stop), signal));
    } catch (error) {
      if (!signal?.aborted) throw error;
      return { state: "failed", reason: "The request was canceled." };
    }
  };

  return { list, close: () => fetches.cancelAll() };
}

const keyOf = ({ owner, provider, revision }: CatalogId) => `${owner}/${provider}/${revision}`;
