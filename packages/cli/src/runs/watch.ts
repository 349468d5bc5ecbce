import { setTimeout as delay } from "node:timers/promises";
import type { Run, RunEvent, Verdict } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import { Refusal, VERDICT_EXIT } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { readResult, type RunResult } from "./result.ts";
import { verdictWords } from "./verdicts.ts";

type WatchOptions = {
  onEvent?: (event: RunEvent) => void;
  /** Aborts when the user interrupts the command. */
  signal: AbortSignal;
  /** Runs after an interrupt. Returns the message to print. By default, the run continues. */
  onInterrupt?: () => Promise<string>;
};

const TICK_MS = 1_000;

/** A second interrupt ends the process. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(interrupted.signal);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** Shows a progress bar; without a terminal, prints a line for each verdict. */
export async function watchRun(
  { progress, note, flags }: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  run: Run,
  { onEvent, signal, onInterrupt = async () => runContinues(run) }: WatchOptions,
): Promise<RunResult> {
  const { followRun } = await import("@svc/sdk");
  const startedMs = Date.now();
  const tally = createTally(run.simulationCount);
  const names = new Map<string, string>();
  const draw = () => progress.now(tally.bar(Math.floor((Date.now() - startedMs) / 1000)));
  const isLog = !progress.live && !flags.json;
  const timer = setInterval(draw, TICK_MS);
  try {
    draw();
    const options = { projectId: session.projectId, signal };
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
    if (!signal.aborted) throw error;
    throw new Refusal("interrupted", await onInterrupt(), VERDICT_EXIT.interrupted);
  } finally {
    clearInterval(timer);
  }
}

/** An interrupt cancels the run, because the agents are processes of this command. */
export async function watchWithLocalAgents(
  invocation: Pick<AnyInvocation, "progress" | "note" | "flags">,
  session: Session,
  { run, command, apiKey, signal }: { run: Run; command: string; apiKey: string | undefined; signal: AbortSignal },
): Promise<RunResult> {
  const { openLocalAgents } = await import("../console/local-agents.ts");
  const agents = openLocalAgents(session, { command, apiKey, note: invocation.note });
  try {
    const result = await watchRun(invocation, session, run, {
      onEvent: agents.onEvent,
      signal,
      async onInterrupt() {
        await session.client.runs.cancel({ runId: run.id, projectId: session.projectId });
        return `The run ${run.id} is canceled, because its agents ran in this command.`;
      },
    });
    // The processes send their last spans while they stop.
    await agents.close();
    return { ...result, run: await readAfterLastSpans(session, result.run, agents.spanProblems()) };
  } finally {
    await agents.close();
  }
}

const SPANS_READ_TRIES = 4;
const SPANS_READ_PAUSE_MS = 500;

/**
 * When spans are missing, adds the lines that the processes wrote about them to the notes. Tries several times, because the service
 * needs a moment to read spans.
 */
async function readAfterLastSpans(
  { client, projectId }: Session,
  { id: runId }: Run,
  problems: readonly string[],
): Promise<Run> {
  for (let attempt = 1; ; attempt++) {
    const { run } = await client.runs.get({ runId, projectId });
    const { notes = [] } = run;
    if (notes.length === 0) return run;
    const said = problems.map((problem) => `The agent's process said: ${problem}`);
    if (attempt === SPANS_READ_TRIES || said.length > 0) return { ...run, notes: [...notes, ...said] };
    await delay(SPANS_READ_PAUSE_MS);
  }
}

const undecidedText = ({ behaviorsGraded, behaviorCount }: RunEvent & { kind: "grade" }): string =>
  behaviorsGraded < behaviorCount ? `  ${behaviorsGraded} of ${behaviorCount} behaviors decided` : "";

const runContinues = ({ id }: Run) =>
  `The run continues. Watch it with \`svc runs watch ${id}\`, or end it with \`svc runs cancel ${id}\`.`;

const BAR_COLUMNS = 24;

type Tally = {
  /** Returns true when a simulation received its verdict or was canceled. */
  add(event: RunEvent): boolean;
  bar(seconds: number): string;
};

export function createTally(simulationCount: number): Tally {
  const verdicts = new Map<string, Verdict | "canceled">();

  return {
    add(event) {
      if (event.kind === "grade") verdicts.set(event.simulationId, event.verdict);
      else if (event.kind === "simulation" && event.status === "canceled") verdicts.set(event.simulationId, "canceled");
      else return false;
      return true;
    },
    bar(seconds) {
      const done = Math.min(verdicts.size, simulationCount);
      const filled = simulationCount === 0 ? 0 : Math.floor((done / simulationCount) * BAR_COLUMNS);
      const counts = Map.groupBy(verdicts.values(), (verdict) => verdict);
      const words = [...counts].map(
        ([verdict, all]) => `${all.length} ${verdict === "canceled" ? verdict : verdictWords(verdict)}`,
      );
      const bar = "█".repeat(filled) + "░".repeat(BAR_COLUMNS - filled);
      return [
        `${bar} ${done}/${simulationCount}`,
        ...(words.length > 0 ? [words.join(", ")] : []),
        `${seconds} s`,
      ].join("  ");
    },
  };
}
