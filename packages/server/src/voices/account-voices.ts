import type { ListVoices } from "../capabilities/voice-listing.ts";
import type { DeploymentKeys } from "../config.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { type Access, openAccess } from "./access.ts";
import { type Bounds, BOUNDS, fetchVoices } from "./fetch-voices.ts";
import { openRecent } from "./recent.ts";
import { arrange, type Catalog, type Failure, isFresh, listingOf, type Outcome } from "./rules.ts";
import { openSharedWork } from "./shared-work.ts";
import { lists, type ListingProvider, SOURCES } from "./sources.ts";
import type { CatalogId, CatalogStore } from "./store.ts";

const CATALOGS_IN_MEMORY = 256;
const FAILURE_HOLDS_MS = 30_000;
const BETWEEN_REFRESHES_MS = 10_000;
const REFRESHES_REMEMBERED = 10_000;

type Parts = { keys: ProviderKeyStore; deploymentKeys: DeploymentKeys; catalogs: CatalogStore; log: Log };

/** What specs replace: where a provider answers, how long it is waited for, and the clock. */
export type Surroundings = { addressOf?: (provider: string) => URL; bounds?: Partial<Bounds>; now?: () => number };

/** Lists the voices of providers: from memory, from the last list on disk, or from the provider, once for all who ask. */
export function openAccountVoices({ keys, deploymentKeys, catalogs, log }: Parts, around: Surroundings = {}) {
  const { now = Date.now, addressOf } = around;
  const bounds = { ...BOUNDS, ...around.bounds };
  const memory = openRecent<Catalog>(CATALOGS_IN_MEMORY);
  const failures = openRecent<{ failure: Failure; untilMs: number }>(CATALOGS_IN_MEMORY);
  const refreshes = openRecent<number>(REFRESHES_REMEMBERED);
  const fetches = openSharedWork<Outcome>();
  const accessOf = openAccess(keys, deploymentKeys);

  async function copyOf(id: CatalogId): Promise<Catalog | undefined> {
    const key = keyOf(id);
    const known = memory.get(key);
    if (known) return known;
    const onDisk = await catalogs.find(id);
    const catalog = memory.get(key) ?? onDisk;
    if (catalog) memory.set(key, catalog);
    return catalog;
  }

  async function fetchAndKeep({ id, credential, standardOnly }: Access, signal: AbortSignal): Promise<Outcome> {
    const { provider } = id;
    const source = SOURCES[provider as ListingProvider];
    const address = addressOf?.(provider) ?? new URL(source.address(credential.region ?? ""));
    const call = { provider, source, address, credential, standardOnly, bounds, signal, now };
    const fetched = await fetchVoices(call);
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
    const isCurrent = await catalogs.keep(id, catalog).catch((error: unknown) => {
      log.warn({ provider, err: error }, "voices could not be kept");
      return true;
    });
    if (isCurrent) memory.set(keyOf(id), catalog);
    return { catalog };
  }

  function holdBack(organizationId: string, provider: string): void {
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
    const access = await accessOf(organizationId, provider);
    if (access === "no_key") return { state: "no_key" };
    if (access === "unreadable")
      return { state: "failed", reason: `The stored ${provider} key cannot be opened; set it again.` };

    const { id, standardOnly, isPublic } = access;
    const insists = refresh && !isPublic;
    if (insists) holdBack(organizationId, provider);
    const key = keyOf(id);
    const copy = await copyOf(id);
    const answer = (outcome: Outcome) => listingOf(outcome, { copy, standardOnly, nowMs: now() });
    if (copy && !insists && isFresh(copy, isPublic, now())) return answer({ catalog: copy });
    const failed = failures.get(key);
    if (failed && !insists && now() < failed.untilMs) return answer(failed);
    try {
      return answer(await fetches.join(key, (stop) => fetchAndKeep(access, stop), signal));
    } catch (error) {
      if (!signal?.aborted) throw error;
      return { state: "failed", reason: "The request was canceled." };
    }
  };

  return { list, close: () => fetches.cancelAll() };
}

const keyOf = ({ owner, provider, revision }: CatalogId) => `${owner}/${provider}/${revision}`;
