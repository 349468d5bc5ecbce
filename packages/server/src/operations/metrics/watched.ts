import type { UnreadyReason } from "@svc/contract";
import type { Conditions } from "../../base/conditions.ts";
import type { Runs } from "../../runs/open.ts";
import type { Traces } from "../../traces/open.ts";
import type { Calls } from "../../voice/calls/open.ts";

/** What the features of a process know anyway; scrapes read their numbers from it. */
export type Watched = {
  version: string;
  /** The folder whose disk is watched. */
  dataDir: string;
  /** The most simulated calls with sound that may run at one time. */
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
};
