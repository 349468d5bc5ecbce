import type { ListedSimulation, Run } from "@svc/contract";
import type { Session } from "../session.ts";
import { take } from "../list.ts";

/** A run with all its simulations and their grades. */
export type RunResult = { run: Run; simulations: ListedSimulation[] };

const PAGE = 200;

/** Returns a run's result, with the simulations in the order of the plan. */
export async function readResult(session: Session, runId: string): Promise<RunResult> {
  const { client, projectId, tokenPages } = session;
  const pages = tokenPages("simulations", (pageToken) =>
    client.runs.simulations({ runId, projectId, pageToken, grades: true, pageSize: PAGE }),
  );
  const { items: simulations } = await take(pages, Infinity);
  const { run } = await client.runs.get({ runId, projectId });
  return { run, simulations: simulations.reverse() };
}

/** A simulation with a title that is unique in its run. */
export type TitledSimulation = { title: string; simulation: ListedSimulation };

/** Returns each simulation with the name of its test, and with persona and iteration when the test has several. */
export function titledSimulations({ simulations }: RunResult): TitledSimulation[] {
  const byTest = Map.groupBy(simulations, ({ testId }) => testId);
  const several = new Map(
    [...byTest].map(([testId, all]) => [
      testId,
      {
        personas: new Set(all.map(({ personaName }) => personaName)).size > 1,
        iterations: new Set(all.map(({ iteration }) => iteration)).size > 1,
      },
    ]),
  );
  return simulations.map((simulation) => {
    const { testId, testName, personaName, iteration } = simulation;
    const { personas, iterations } = several.get(testId)!;
    const parts = [testName, ...(personas ? [personaName] : []), ...(iterations ? [`#${iteration}`] : [])];
    return { title: parts.join(" · "), simulation };
  });
}

/** `Nightly (run_…)`, or the id alone. */
export const runName = ({ id, name }: Run): string => (name === null ? id : `${name} (${id})`);
