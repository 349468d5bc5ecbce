import type { ListedSimulation, Run } from "@svc/contract";
import type { Connection } from "../connection.ts";
import { take } from "../list.ts";

/** A run with all its simulations and what each was graded by: what every report of a run is made of. */
export type RunResult = { run: Run; simulations: ListedSimulation[] };

const PAGE = 200;

/** Reads a run's result; simulations come in the order in which the run was planned. */
export async function resultOf(connection: Connection, runId: string): Promise<RunResult> {
  const { client, project: projectId, tokenPages } = connection;
  const pages = tokenPages("simulations", (pageToken) =>
    client.runs.simulations({ runId, projectId, pageToken, grades: true, pageSize: PAGE }),
  );
  const { items: simulations } = await take(pages, Infinity);
  const { run } = await client.runs.get({ runId, projectId });
  return { run, simulations: simulations.reverse() };
}

export type Titled = { title: string; simulation: ListedSimulation };

/** Each simulation under its test's name, with persona and iteration where the test has several. */
export function titled({ simulations }: RunResult): Titled[] {
  const ofTest = Map.groupBy(simulations, ({ testId }) => testId);
  const several = new Map(
    [...ofTest].map(([testId, all]) => [
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
