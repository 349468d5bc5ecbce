import type { Run, RunEvent } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import type { Session } from "../session.ts";
import { Refusal, VERDICT_EXIT } from "../refusal.ts";
import { createTally } from "./progress-bar.ts";
import { readResult, type RunResult } from "./result.ts";
import { verdictWords } from "./verdicts.ts";

type WatchOptions = {
  /** Receives every event of the run. */
  onEvent?: (event: RunEvent) => void;
  /** Runs when a person interrupts, and returns the message; by default the run continues. */
  onInterrupt?: () => Promise<string>;
};

const TICK_MS = 1_000;

/** Waits until the run has ended with all verdicts; shows a progress bar in a terminal, and else a line for each verdict. */
export async function watchRun(
  { progress, note, flags }: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  run: Run,
  { onEvent, onInterrupt = async () => runContinues(run) }: WatchOptions = {},
): Promise<RunResult> {
  const { followRun } = await import("@svc/sdk");
  const startedMs = Date.now();
  const tally = createTally(run.simulationCount);
  const names = new Map<string, string>();
  const draw = () => progress.now(tally.bar(Math.floor((Date.now() - startedMs) / 1000)));
  const isLog = !progress.live && !flags.json;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const timer = setInterval(draw, TICK_MS);
  try {
    draw();
    const options = { projectId: session.projectId, signal: interrupted.signal };
    for await (const event of followRun(session.client, run.id, options)) {
      onEvent?.(event);
      if (event.kind === "simulation") names.set(event.simulationId, `${event.testName} · ${event.personaName}`);
      if (tally.add(event)) draw();
      if (event.kind === "simulation" && event.status === "queued" && event.message !== null)
        note(`${names.get(event.simulationId)}: ${event.message}`);
      if (isLog && event.kind === "grade")
        note(
          `${verdictWords(event.verdict).padEnd(12)}  ${names.get(event.simulationId) ?? event.simulationId}${undecidedText(event)}`,
        );
    }
    return await readResult(session, run.id);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new Refusal("interrupted", await onInterrupt(), VERDICT_EXIT.interrupted);
  } finally {
    clearInterval(timer);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** Watches a run whose agents are processes of this command; an interrupt cancels the run. */
export async function watchWithLocalAgents(
  invocation: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  { run, command }: { run: Run; command: string },
): Promise<RunResult> {
  const { openLocalAgents } = await import("../console/local-agents.ts");
  const agents = openLocalAgents(session, { command, note: invocation.note });
  try {
    return await watchRun(invocation, session, run, {
      onEvent: agents.onEvent,
      async onInterrupt() {
        await session.client.runs.cancel({ runId: run.id, projectId: session.projectId });
        return `The run ${run.id} is canceled, because its agents ran in this command.`;
      },
    });
  } finally {
    await agents.close();
  }
}

/** `  1 of 3 behaviors decided`; empty when all are decided. */
const undecidedText = ({ behaviorsGraded, behaviorCount }: RunEvent & { kind: "grade" }): string =>
  behaviorsGraded < behaviorCount ? `  ${behaviorsGraded} of ${behaviorCount} behaviors decided` : "";

const runContinues = ({ id }: Run) =>
  `The run continues. Watch it with \`svc runs watch ${id}\`, or end it with \`svc runs cancel ${id}\`.`;
