import { every } from "../base/async/every.ts";
import type { Conditions } from "../base/conditions.ts";
import type { Log } from "../base/log/log.ts";
import { type Embed, EmbeddingsFailure } from "./embeddings.ts";
import { baselineOf, UNRELATED_TEXTS } from "./meaning.ts";
import type { EmbeddingStore } from "./store/embedding.ts";

/** Intervals of the requests for vectors. Only specs change them. */
export type EmbeddingPace = {
  everyMs: number;
  /** Must be longer than a request may take, because the lease is not renewed. */
  leaseMs: number;
  /** Pause after the first failure of the endpoint. It doubles with each further failure, up to `pauseMsMax`. */
  pauseMs: number;
  pauseMsMax: number;
  timeoutMs: number;
};

export const PACE: EmbeddingPace = {
  everyMs: 1_000,
  leaseMs: 120_000,
  pauseMs: 2_000,
  pauseMsMax: 5 * 60_000,
  timeoutMs: 30_000,
};
const WORDINGS_AT_ONCE = 32;
/** Number of failures in a row after which people are told. */
const TOLD_AFTER = 5;
const CODE = "embeddings_failing";

type Needs = {
  store: EmbeddingStore;
  /** Undefined when the settings name no embedding model: then only groups of former settings are made again. */
  embed: Embed | undefined;
  conditions: Conditions;
  log: Log;
  pace: EmbeddingPace;
};

/** Asks for missing vectors in the background. One transaction stores them and groups again, so that a kill leaves nothing half done. */
export function startEmbedding({ store, embed, conditions, log, pace }: Needs) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isPrepared = false;
  let failures = 0;
  let pausedUntilMs = 0;

  const looking = every(pace.everyMs, embedDue, signal, (error) =>
    log.error({ err: error }, "failures could not be grouped by meaning; the service tries again"),
  );

  async function embedDue(): Promise<void> {
    if (!isPrepared) await store.prepare(Date.now());
    isPrepared = true;
    while (!signal.aborted && performance.now() >= pausedUntilMs) {
      const place = await store.lease(pace.leaseMs, Date.now());
      if (place === undefined) return;
      try {
        const missing = await store.listMissing(place, WORDINGS_AT_ONCE);
        if (embed !== undefined && missing.length > 0 && (await store.isBaselineMissing()))
          await store.keepBaseline(baselineOf(await embed(UNRELATED_TEXTS, signal)));
        const texts = missing.map(({ words }) => words);
        const vectors = embed === undefined || texts.length === 0 ? [] : await embed(texts, signal);
        const embedded = vectors.map((vector, at) => ({ digest: missing[at]!.digest, vector }));
        if (!(await store.keep(place, embedded)))
          throw new EmbeddingsFailure("sends vectors of another length than before");
        if (embedded.length > 0) answered();
      } catch (error) {
        await store.postpone(place, Date.now());
        if (signal.aborted) return;
        if (!(error instanceof EmbeddingsFailure)) throw error;
        failed(error);
      }
    }
  }

  function answered(): void {
    failures = 0;
    conditions.clear(CODE);
  }

  function failed(error: EmbeddingsFailure): void {
    const pauseMs = Math.max(pace.pauseMs * 2 ** failures, (error.retryAfterSeconds ?? 0) * 1_000);
    pausedUntilMs = performance.now() + Math.min(pauseMs, pace.pauseMsMax);
    failures++;
    if (failures === 1)
      log.warn({ reason: error.message }, "a request for vectors failed; failures are grouped by words meanwhile");
    if (failures >= TOLD_AFTER)
      conditions.report({
        code: CODE,
        degrades: false,
        message: `New failures are grouped by words alone. ${error.message}`,
        remedy: "Check the endpoint, its key and its model in the settings `SVC_EMBEDDINGS_…`, or unset them.",
      });
  }

  return {
    /** The next start of the service continues with the due things. */
    async close(): Promise<void> {
      stopping.abort();
      await looking.idle();
    },
  };
}
