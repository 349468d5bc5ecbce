import type { DestinationKind, UnreadyReason } from "@svc/contract";
import type { Conditions } from "../../base/conditions.ts";
import type { Runs } from "../../runs/open.ts";
import type { Traces } from "../../traces/open.ts";
import type { Calls } from "../../voice/calls/open.ts";

export type Watched = {
  version: string;
  /** Folder whose disk has metrics. */
  dataDir: string;
  callsAtOnce: number;
  readiness: () => Promise<{ reason: UnreadyReason | null }>;
  stores: readonly { name: "relational" | "analytics"; reachable: () => boolean | Promise<boolean> }[];
  conditions: Pick<Conditions, "list">;
  answers: () => { bytes: number; waiting: number };
  traces: Traces["progress"];
  runs: Runs["progress"];
  calls: Pick<Calls, "underWay" | "counts">;
  monitoring: {
    reads: { all: () => ReadonlyMap<string, number> };
    countAll: () => Promise<number>;
    countByHealth: () => Promise<{ state: string; count: number }[]>;
  };
  notifications: {
    counts: Record<"sent" | "failed" | "given_up", { all: () => ReadonlyMap<DestinationKind, number> }>;
    countWaiting: () => Promise<{ kind: DestinationKind; count: number; oldestAt: string }[]>;
  };
};
