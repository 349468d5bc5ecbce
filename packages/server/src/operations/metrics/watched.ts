import type { UnreadyReason } from "@svc/contract";
import type { Conditions } from "../../base/conditions.ts";
import type { Runs } from "../../runs/open.ts";
import type { Traces } from "../../traces/open.ts";
import type { Calls } from "../../voice/calls/open.ts";

/** State of the process's features. Scrapes read their numbers from it. */
export type Watched = {
  version: string;
  /** Folder whose disk has metrics. */
  dataDir: string;
  /** Largest number of simultaneous simulated calls with sound. */
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
