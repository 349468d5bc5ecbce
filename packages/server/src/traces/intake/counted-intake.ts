import { type Counts, createCounts } from "../../base/counts.ts";
import { bodyBytes } from "../journal/record.ts";
import type { RejectReason } from "../otlp/span-rows.ts";
import type { Intake } from "./intake.ts";

/** A body that was sent twice counts twice. */
export type IntakeCounts = {
  /** Bodies, their bytes as received, and their spans that were not refused. */
  acknowledged: Counts<"bodies" | "bytes" | "spans">;
  refusedSpans: Counts<RejectReason>;
};

export function countedIntake(intake: Intake): { intake: Intake; counts: IntakeCounts } {
  const counts: IntakeCounts = { acknowledged: createCounts(), refusedSpans: createCounts() };
  return {
    counts,
    intake: {
      ...intake,
      async take(body) {
        const decoded = await intake.take(body);
        counts.acknowledged.add("bodies");
        counts.acknowledged.add("bytes", bodyBytes(body.chunks));
        counts.acknowledged.add("spans", decoded.accepted);
        for (const [reason, spans] of Object.entries(decoded.reasons))
          counts.refusedSpans.add(reason as RejectReason, spans);
        return decoded;
      },
    },
  };
}
