import type { RunGrid } from "@svc/contract";
import type { RunEvent } from "@svc/sdk";

type GridTest = RunGrid["tests"][number];
export type GridSimulation = GridTest["simulations"][number];
type CellChange = Partial<Pick<GridSimulation, "status" | "verdict" | "behaviorsGraded" | "behaviorCount">>;

const RANK: Record<GridSimulation["status"], number> = {
  queued: 0,
  claimed: 1,
  running: 2,
  completed: 3,
  failed: 3,
  canceled: 3,
};

/** If a simulation has several events, the last one applies. */
export function changesOf(events: readonly RunEvent[]): Map<string, CellChange> {
  const changes = new Map<string, CellChange>();
  for (const event of events) {
    if (event.kind === "simulation") {
      const { status, verdict } = event;
      changes.set(event.simulationId, {
        ...changes.get(event.simulationId),
        status,
        ...(verdict !== null && { verdict }),
      });
    } else if (event.kind === "grade") {
      const { verdict, behaviorsGraded, behaviorCount } = event;
      changes.set(event.simulationId, { ...changes.get(event.simulationId), verdict, behaviorsGraded, behaviorCount });
    }
  }
  return changes;
}

/**
 * The grid may be newer than the events, so a cell only changes to a later status, or from no verdict to a verdict. Rows without a
 * change remain the same objects. The counts of a changed row are computed from its cells.
 */
export function withChanges(grid: RunGrid, changes: ReadonlyMap<string, CellChange>): RunGrid {
  if (changes.size === 0) return grid;
  let isChanged = false;
  const tests = grid.tests.map((test) => {
    let isRowChanged = false;
    const simulations = test.simulations.map((simulation) => {
      const next = forward(simulation, changes.get(simulation.id));
      if (next !== simulation) isRowChanged = true;
      return next;
    });
    if (!isRowChanged) return test;
    isChanged = true;
    return counted({ ...test, simulations });
  });
  return isChanged ? { ...grid, tests } : grid;
}

function forward(simulation: GridSimulation, change: CellChange | undefined): GridSimulation {
  if (change === undefined) return simulation;
  const isLater = change.status !== undefined && RANK[change.status] > RANK[simulation.status];
  const isDecided = simulation.verdict === null && change.verdict !== undefined && change.verdict !== null;
  if (!isLater && !isDecided) return simulation;
  return {
    ...simulation,
    ...(isLater && { status: change.status! }),
    ...(isDecided && {
      verdict: change.verdict!,
      behaviorsGraded: change.behaviorsGraded ?? simulation.behaviorsGraded,
      behaviorCount: change.behaviorCount ?? simulation.behaviorCount,
    }),
  };
}

/** The interval of the row does not change until the service's next answer. */
function counted(test: GridTest): GridTest {
  const of = (verdict: GridSimulation["verdict"]) =>
    test.simulations.filter((simulation) => simulation.verdict === verdict).length;
  const [passed, failed, errored] = [of("passed"), of("failed"), of("errored")];
  const undecided = of("inconclusive") + of("not_graded");
  return {
    ...test,
    passed,
    failed,
    errored,
    undecided,
    played: passed + failed + undecided,
    pending: test.simulations.length - passed - failed - undecided - errored,
    mixed: passed > 0 && failed > 0,
  };
}
