import type { ListedSimulation, Run } from "@svc/contract";
import { take } from "../terminal/list.ts";
import type { Session } from "../session/session.ts";
import { runPage } from "./page.ts";

/** A run with all its simulations and their grades. */
export type RunResult = {
  run: Run;
  simulations: ListedSimulation[];
  /** The address of the run's page; null if the key may not read the names in the address. */
  page: string | null;
};

const PAGE = 200;

/** Returns a run's result, with the simulations in the order of the plan. */
export async function readResult(session: Session, runId: string): Promise<RunResult> {
  const { client, projectId, pages } = session;
  const listed = pages(client.runs.simulations, { runId, projectId, grades: true, pageSize: PAGE });
  const { items: simulations } = await take(listed, Infinity);
  const { run } = await client.runs.get({ runId, projectId });
  return { run, simulations: simulations.reverse(), page: await runPage(session, run) };
}

/** `Nightly (run_…)`, or only the id. */
export const runName = ({ id, name }: Run): string => (name === null ? id : `${name} (${id})`);
