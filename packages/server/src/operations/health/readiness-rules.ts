import type { z } from "zod";
import { type Readiness as ReadinessAnswer, UNREADY_REASONS, type UnreadyReason } from "@svc/contract";

export type Readiness = z.output<typeof ReadinessAnswer>;

const MESSAGES: Record<UnreadyReason, string> = {
  stopping: "The process is stopping. Send requests to another process, or wait until it has started again.",
  relational_store_unreachable:
    "The store of records does not answer. Start it, or read the reason in the service's log.",
  analytics_store_unreachable:
    "The store of conversations does not answer. Start it, or read the reason in the service's log.",
  conversations_rebuilding:
    "The store of conversations is built again from the journal, and lists would lack some. Wait; the log says when it is done.",
};

/** Returns whether the service is ready. In `holds`, each reason against it that applies is true; the answer names only the first. */
export function readinessOf(holds: Record<UnreadyReason, boolean>): Readiness {
  const reason = UNREADY_REASONS.find((one) => holds[one]) ?? null;
  return { status: reason === null ? "ready" : "not_ready", reason, message: reason && MESSAGES[reason] };
}
