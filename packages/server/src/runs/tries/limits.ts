import { LIMITS } from "@svc/contract";
import { AppError } from "../../errors.ts";
import { tooManyRequests } from "../../http/rate-limit.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import type { Db } from "../../stores/relational.ts";

/** Calls of tries take processor time from the calls of runs. */
const CALLS_AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 5;

/** The limits of tries: each organization has few, and all organizations together have few calls with sound. */
export type TryLimits = {
  /** Takes a place for a try and returns the function that gives it back; refuses while no place is free. */
  take: (organizationId: string, hasSound: boolean) => Promise<() => void>;
};

export function createTryLimits(db: Db): TryLimits {
  const perMinute = createLimit(db, "tries", LIMITS.connectionTriesPerMinute);
  const underWay = new Set<{ organizationId: string; hasSound: boolean }>();
  const count = (fits: (one: { organizationId: string; hasSound: boolean }) => boolean) =>
    [...underWay].filter(fits).length;

  return {
    async take(organizationId, hasSound) {
      const window = await perMinute.count(organizationId);
      if (window.exceeded)
        throw tooManyRequests(
          window,
          `The organization has used its ${window.limit} tries for this minute. Wait ${window.resetSeconds} s.`,
        );
      if (count((one) => one.organizationId === organizationId) >= LIMITS.connectionTriesAtOnce)
        throw busy(
          `The organization already tries ${LIMITS.connectionTriesAtOnce} connections. Wait until one try has ended.`,
        );
      if (hasSound && count((one) => one.hasSound) >= CALLS_AT_ONCE)
        throw busy(`The service already tries ${CALLS_AT_ONCE} calls. Wait until one try has ended.`);
      const place = { organizationId, hasSound };
      underWay.add(place);
      return () => void underWay.delete(place);
    },
  };
}

const busy = (message: string) =>
  new AppError("too_many_requests", message, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
