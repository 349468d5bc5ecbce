import type { ListedSimulation, Run } from "@svc/contract";
import { take } from "../terminal/list.ts";
import type { Session } from "../session/session.ts";
import { runPage } from "./page.ts";

export type RunResult = {
  run: Run;
  simulations: ListedSimulation[];
  /** URL of the run's page; null when the key may not read what the URL needs. */
  page: string | null;
};

const PAGE = 200;

/** The simulations are in the order of the plan. */
export async function readResult(session: Session, runId: string): Promise<RunResult> {
  const { client, projectId, pages } = session;
  const listed = pages(client.runs.simulations, { runId, projectId, grades: true, pageSize: PAGE });
  const { items: simulations } = await take(listed, Infinity);
  const { run } = await client.runs.get({ runId, projectId });
  return { run, simulations: simulations.reverse(), page: await runPage(session, run) };
}

export const runName = ({ id, name }: Run): string => (name === null ? id : `${name} (${id})`);
