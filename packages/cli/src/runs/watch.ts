import type { Run, RunEvent } from "@svc/contract";
import type { AnyCall } from "../command.ts";
import type { Connection } from "../connection.ts";
import { Refusal, VERDICT_EXIT } from "../refusal.ts";
import { openTally } from "./progress-bar.ts";
import { resultOf, type RunResult } from "./result.ts";
import { verdictWords } from "./verdicts.ts";

type Watching = {
  /** Sees every event of the run, as `--agent-command` does. */
  onEvent?: (event: RunEvent) => void;
  /** What becomes of the run when a person interrupts; default: it goes on. */
  onInterrupt?: () => Promise<string>;
};

const TICK_MS = 1_000;

/** Waits until the run has ended and every verdict is given, with a bar for a person and a line for each verdict in a log. */
export async function watchRun(
  { progress, note, flags }: Pick<AnyCall, "progress" | "note" | "flags">,
  connection: Connection,
  run: Run,
  { onEvent, onInterrupt = async () => goesOn(run) }: Watching = {},
): Promise<RunResult> {
  const { followRun } = await import("@svc/sdk");
  const startedMs = Date.now();
  const tally = openTally(run.simulationCount);
  const names = new Map<string, string>();
  const draw = () => progress.now(tally.bar(Math.floor((Date.now() - startedMs) / 1000)));
  const isLog = !progress.live && !flags.json;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const timer = setInterval(draw, TICK_MS);
  try {
    draw();
    const options = { projectId: connection.project, signal: interrupted.signal };
    for await (const event of followRun(connection.client, run.id, options)) {
      onEvent?.(event);
      if (event.kind === "simulation") names.set(event.simulationId, `${event.testName} · ${event.personaName}`);
      if (tally.take(event)) draw();
      if (isLog && event.kind === "grade")
        note(`${verdictWords(event.verdict).padEnd(12)}  ${names.get(event.simulationId) ?? event.simulationId}`);
    }
    return await resultOf(connection, run.id);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new Refusal("interrupted", await onInterrupt(), VERDICT_EXIT.interrupted);
  } finally {
    clearInterval(timer);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

const goesOn = ({ id }: Run) =>
  `The run goes on: see it with \`svc runs watch ${id}\`, or end it with \`svc runs cancel ${id}\`.`;
