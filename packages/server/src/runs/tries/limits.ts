import { LIMITS } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { tooManyRequests } from "../../http/rate-limit.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import type { Db } from "../../stores/relational.ts";
import { createTryPlaces } from "../store/try-places.ts";

/** Largest number of tries with sound in this process. It is low, because these calls take CPU time from the calls of runs. */
const CALLS_AT_ONCE = 4;
const RETRY_AFTER_SECONDS = 5;

/** A call with sound, a new conversation in writing, or a further part of an open one, which does not count again. */
type TryKind = "call" | "writing" | "further";

export type TryLimits = { take: (organizationId: string, kind: TryKind) => Promise<() => Promise<void>> };

export function createTryLimits(db: Db): TryLimits {
  const perMinute = createLimit(db, "tries", LIMITS.connectionTriesPerMinute);
  const places = createTryPlaces(db);
  let calls = 0;

  async function count(organizationId: string): Promise<void> {
    const window = await perMinute.count(organizationId);
    if (window.exceeded)
      throw tooManyRequests(
        window,
        `The organization has used its ${window.limit} tries for this minute. Wait ${window.resetSeconds} s.`,
      );
  }

  return {
    async take(organizationId, kind) {
      const hasSound = kind === "call";
      if (kind !== "further") await count(organizationId);
      const giveBack = await places.take(organizationId);
      if (giveBack === undefined)
        throw busy(
          `The organization already tries ${LIMITS.connectionTriesAtOnce} connections. Wait until one try has ended.`,
        );
      if (hasSound && calls >= CALLS_AT_ONCE) {
        await giveBack();
        throw busy(`The service already tries ${CALLS_AT_ONCE} calls. Wait until one try has ended.`);
      }
      if (hasSound) calls++;
      return async () => {
        if (hasSound) calls--;
        await giveBack();
      };
    },
  };
}

const busy = (message: string) =>
  new AppError("too_many_requests", message, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
