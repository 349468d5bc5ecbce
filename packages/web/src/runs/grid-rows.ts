import type { RunGrid } from "@svc/contract";
import { wordOf } from "../ui/chip.tsx";
import type { GridSimulation } from "./grid-changes.ts";
import { isFailing } from "./run-words.ts";

type GridTest = RunGrid["tests"][number];

export type CellLook = NonNullable<GridSimulation["verdict"]> | "queued" | "running" | "grading" | "canceled";

export function cellLook({ status, verdict }: Pick<GridSimulation, "status" | "verdict">): CellLook {
  if (verdict !== null) return verdict;
  if (status === "canceled") return "canceled";
  if (status === "queued") return "queued";
  if (status === "failed") return "errored";
  return status === "completed" ? "grading" : "running";
}

const LOOK_WORDS = { queued: "Waiting", running: "Running", grading: "Being graded", canceled: "Canceled" };

const lookWord = (look: CellLook): string =>
  look === "queued" || look === "running" || look === "grading" || look === "canceled"
    ? LOOK_WORDS[look]
    : wordOf(look);

export const isPartlyGraded = ({ verdict, behaviorsGraded, behaviorCount }: GridSimulation): boolean =>
  verdict === "passed" && behaviorsGraded < behaviorCount;

export function cellTitle(testName: string, personaName: string, simulation: GridSimulation): string {
  const graded =
    simulation.verdict === null || simulation.behaviorCount === 0
      ? ""
      : `, ${simulation.behaviorsGraded} of ${simulation.behaviorCount} behaviors graded`;
  return `${testName}, ${personaName}, iteration ${simulation.iteration}: ${lookWord(cellLook(simulation))}${graded}`;
}

export function cellsByPersona(test: GridTest, personas: RunGrid["personas"]): GridSimulation[][] {
  const byPersona = Map.groupBy(test.simulations, ({ personaId }) => personaId);
  return personas.map(({ personaId }) =>
    (byPersona.get(personaId) ?? []).toSorted((a, b) => a.iteration - b.iteration),
  );
}

/** The order is that of the grid: worst tests first. */
export const shownTests = (grid: RunGrid, onlyFailing: boolean): GridTest[] =>
  onlyFailing ? grid.tests.filter(isFailing) : grid.tests;

export const failuresOf = (grid: RunGrid): GridSimulation[] =>
  grid.tests.flatMap((test) =>
    cellsByPersona(test, grid.personas).flatMap((cells) => cells.filter(({ verdict }) => verdict === "failed")),
  );

/** If the simulation is no failure, the index is -1 and the next failure is the first one. */
export function failureNeighbours(failures: readonly { id: string }[], simulationId: string) {
  const at = failures.findIndex(({ id }) => id === simulationId);
  return {
    at,
    count: failures.length,
    previous: at > 0 ? failures[at - 1]!.id : undefined,
    next: failures[at + 1]?.id,
  };
}
