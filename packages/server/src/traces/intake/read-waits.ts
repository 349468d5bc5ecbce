import { unavailable } from "../../base/errors.ts";
import type { Intake } from "./intake.ts";
import type { SpanLoader, TraceReader, WaitingRead } from "../store/trace-store.ts";

export type ReadWaits = {
  /**
   * Waits until the derived conversation includes all its spans that were acknowledged before this call, and resolves with true.
   * Resolves with false after `ms`. Rejects when `signal` aborts, or when too many requests already wait.
   */
  upToDate: (
    organization: string,
    project: number,
    traceId: string,
    ms: number,
    signal: AbortSignal,
  ) => Promise<boolean>;
};

type WaitLimits = { atOnce: number; atOnceOfOne: number; checkEveryMs: number };

const LIMITS: WaitLimits = { atOnce: 200, atOnceOfOne: 50, checkEveryMs: 200 };

type Wait = WaitingRead & { end: (result: boolean) => void; fail: (error: unknown) => void };

/** One query checks all waiting requests together. */
export function createReadWaits(
  intake: Pick<Intake, "acknowledgedLsn">,
  loader: Pick<SpanLoader, "commitSoon" | "loadedLsn" | "onProgress">,
  reader: Pick<TraceReader, "areRead">,
  limits: Partial<WaitLimits> = {},
): ReadWaits {
  const { atOnce, atOnceOfOne, checkEveryMs } = { ...LIMITS, ...limits };
  const waits = new Set<Wait>();
  const waiting = new Map<string, number>();
  let checking: Promise<void> | undefined;
  let isOutdated = false;

  async function check(): Promise<void> {
    do {
      isOutdated = false;
      const loadedLsn = loader.loadedLsn();
      const loaded = [...waits].filter(({ lsn }) => lsn <= loadedLsn);
      if (loaded.length < waits.size) loader.commitSoon();
      const areRead =
        loaded.length === 0
          ? []
          : await reader.areRead(loaded.map(({ project, traceId, lsn }) => ({ project, traceId, lsn })));
      for (const [at, wait] of loaded.entries()) if (areRead[at]) wait.end(true);
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    } while (isOutdated && waits.size > 0);
  }

  function checkSoon(): void {
    isOutdated = true;
    if (waits.size === 0) return;
    checking ??= check()
      .catch((error: unknown) => waits.forEach(({ fail }) => fail(error)))
      .finally(() => {
        checking = undefined;
        if (isOutdated) checkSoon();
      });
  }

  loader.onProgress(checkSoon);

  return {
    upToDate: (organization, project, traceId, ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const own = waiting.get(organization) ?? 0;
        if (waits.size >= atOnce || own >= atOnceOfOne) throw tooMany();
        waiting.set(organization, own + 1);
        const leave = (settle: () => void) => {
          if (!waits.delete(wait)) return;
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          const left = waiting.get(organization)! - 1;
          if (left === 0) waiting.delete(organization);
          else waiting.set(organization, left);
          settle();
        };
        const fail = (error: unknown) => leave(() => reject(error));
        const onAbort = () => fail(signal.reason);
        const wait: Wait = {
          project,
          traceId,
          lsn: intake.acknowledgedLsn(),
          end: (result) => leave(() => resolve(result)),
          fail,
        };
        const timer = setTimeout(() => wait.end(false), ms);
        signal.addEventListener("abort", onAbort, { once: true });
        waits.add(wait);
        checkSoon();
      }),
  };
}

const tooMany = () => unavailable("Too many requests wait for conversations. Ask again without `wait`, or later.", 2);
