/** One conversation as the store sums it up. A null count has not been counted yet. */
export type TraceSummaryRow = {
  traceId: string;
  conversation: string | null;
  source: "production" | "simulation";
  agent: string | null;
  service: string | null;
  rootName: string | null;
  rootEnded: boolean;
  startedNs: bigint;
  endedNs: bigint | null;
  spans: number;
  errors: number;
  turns: number | null;
  toolCalls: number | null;
  preview: string | null;
  lastReceivedMs: number;
};
