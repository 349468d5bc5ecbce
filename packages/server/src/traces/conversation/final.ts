import { IDLE_MINUTES } from "@svc/contract/constants";
import type { TraceSummaryRow } from "../summary-row.ts";

/** Returns whether a conversation has ended, or is idle, and its reading covers all its spans. */
export const isFinal = ({ isRead, rootEnded, lastReceivedMs }: TraceSummaryRow, nowMs: number): boolean =>
  isRead && (rootEnded || nowMs - lastReceivedMs >= IDLE_MINUTES * 60_000);
