import type { Run } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { countOf, oneOf, textOf } from "../search-params.ts";

const CALLERS = ["scripted", "model"] as const;
const STATUSES = ["pending", "running", "completed", "canceled"] as const;
export const STATUS_OPTIONS = STATUSES.map((status) => ({ value: status, label: status }));

export type NewRunInput = Parameters<Client["runs"]["create"]>[0];

export type NewRunSearch = {
  agent?: string | undefined;
  connection?: string | undefined;
  suite?: string | undefined;
  /** Ids of tests, separated by commas. The run plays their current versions. */
  test?: string | undefined;
  /** Id of a run. The new run plays the same test versions. */
  run?: string | undefined;
  /** With `run`: plays only the tests that failed in that run. */
  only?: "failed" | undefined;
  name?: string | undefined;
  iterations?: number | undefined;
  concurrency?: number | undefined;
  caller?: (typeof CALLERS)[number] | undefined;
  turns?: number | undefined;
  seconds?: number | undefined;
  /** Cost of the judge, as typed. The run stops judging when the judge has cost this much. */
  cost?: string | undefined;
  /** Whether a simulation may pass although some behaviors are not graded. */
  partly?: "yes" | undefined;
};

export const readNewRunSearch = (search: Record<string, unknown>): NewRunSearch => ({
  agent: textOf(search["agent"]),
  connection: textOf(search["connection"]),
  suite: textOf(search["suite"]),
  test: textOf(search["test"]),
  run: textOf(search["run"]),
  only: oneOf(["failed"], search["only"]),
  name: textOf(search["name"]),
  iterations: countOf(search["iterations"]),
  concurrency: countOf(search["concurrency"]),
  caller: oneOf(CALLERS, search["caller"]),
  turns: countOf(search["turns"]),
  seconds: countOf(search["seconds"]),
  cost: textOf(search["cost"]),
  partly: oneOf(["yes"], search["partly"]),
});

export const testIdsOf = ({ test }: NewRunSearch): string[] => test?.split(",").filter(Boolean) ?? [];

export const costProblem = ({ cost }: NewRunSearch): string | undefined =>
  cost === undefined || (Number.isFinite(Number(cost)) && Number(cost) >= 0 && cost.trim() !== "")
    ? undefined
    : "Write an amount as digits with a point, such as 2.50, or leave the field empty for no limit.";

/**
 * Returns undefined while a choice is missing or the cost is not an amount. `versions` are the ids of the chosen test versions,
 * which are not used when a suite is chosen.
 */
export function inputOf(search: NewRunSearch, versions: readonly string[] | undefined): NewRunInput | undefined {
  const { agent, connection, suite, name, iterations, concurrency, caller, turns, seconds, cost, partly } = search;
  const tests =
    suite !== undefined
      ? { suiteId: suite }
      : versions !== undefined && versions.length > 0
        ? { testVersions: [...versions] }
        : undefined;
  if (agent === undefined || connection === undefined || tests === undefined) return undefined;
  if (costProblem(search) !== undefined) return undefined;
  return {
    ...tests,
    agentId: agent,
    connectionId: connection,
    name,
    iterations,
    concurrency,
    caller,
    turnLimit: turns,
    timeLimitSeconds: seconds,
    maxCost: cost === undefined ? undefined : Number(cost),
    allowUngraded: partly === "yes" ? true : undefined,
  };
}

export const rerunSearch = (run: Run, only?: "failed"): NewRunSearch => ({
  agent: run.agentId,
  connection: run.connectionId,
  ...(run.suiteId !== null && only === undefined ? { suite: run.suiteId } : { run: run.id, only }),
  name: run.name ?? undefined,
  iterations: run.iterations,
  concurrency: run.concurrency,
  caller: run.caller,
  turns: run.turnLimit,
  seconds: run.timeLimitSeconds,
  cost: run.maxCost === null ? undefined : String(run.maxCost),
  partly: run.allowUngraded ? "yes" : undefined,
});

export type ListSearch = {
  agent?: string | undefined;
  suite?: string | undefined;
  schedule?: string | undefined;
  test?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
};

export const readListSearch = (search: Record<string, unknown>): ListSearch => ({
  agent: textOf(search["agent"]),
  suite: textOf(search["suite"]),
  schedule: textOf(search["schedule"]),
  test: textOf(search["test"]),
  status: oneOf(STATUSES, search["status"]),
});
