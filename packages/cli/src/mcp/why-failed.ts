import type { Grade, ListedSimulation, Run } from "@svc/contract";
import { idInput, VERDICTS } from "@svc/contract";
import { z } from "zod";
import { projectPage, runPage } from "../runs/page.ts";
import { readResult } from "../runs/result.ts";
import { usage } from "../refusal.ts";
import { DATA_NOTE, fenced, firstThatFits, READS, said, tool, type ToolContext } from "./tool.ts";

const BYTES_MAX = 2_000;
const RUNS_LOOKED_AT = 50;

const Behavior = z.strictObject({
  behavior: z.string(),
  reading: z.string().nullable().describe("How the service read the behavior; null when it is not known."),
  verdict: z.enum(VERDICTS),
  reason: z.string(),
  quotes: z.array(z.strictObject({ turn: z.int().nullable(), quote: z.string() })),
  tools: z
    .array(z.strictObject({ turn: z.int().nullable(), name: z.string(), error: z.string().nullable() }))
    .describe("Tool calls that decided, or failed in the same turn."),
});
const Failure = z.strictObject({
  id: z.string().describe("Id of the simulation, or of a trace of the production conversation."),
  test: z.string().nullable(),
  persona: z.string().nullable(),
  verdict: z.enum(VERDICTS).nullable(),
  message: z.string().nullable(),
  lastPass: z
    .strictObject({
      runId: z.string(),
      at: z.string(),
      changed: z
        .array(z.string())
        .describe("What differs since then besides the agent's own code; empty: nothing known."),
    })
    .nullable()
    .describe("The last earlier run in which the test passed with this agent; null when there is none."),
  behaviors: z.array(Behavior),
  moreBehaviors: z.int(),
});
const WhyFailed = z.strictObject({
  note: z.string(),
  what: z.string(),
  page: z.string().nullable(),
  failures: z.array(Failure),
  moreFailures: z.int(),
});

type Call = { name: string; turn: number | null; error: string | null };

type LastPass = { runId: string; at: string; changed: string[] };

type Source = {
  id: string;
  test: string | null;
  persona: string | null;
  verdict: ListedSimulation["verdict"];
  message: string | null;
  lastPass: LastPass | null;
  grades: readonly Pick<Grade, "criterion" | "reading" | "verdict" | "reason" | "evidence" | "counts">[];
  calls: readonly Call[];
};

/**
 * Sizes of an answer, from the largest to the smallest. Each row has the numbers of conversations, of behaviors per conversation, of
 * quotes per behavior, and of characters per text.
 */
const LEVELS = [
  [5, 4, 3, 300],
  [4, 3, 3, 160],
  [3, 3, 2, 110],
  [3, 2, 1, 80],
  [2, 1, 1, 70],
  [1, 1, 1, 50],
  [1, 1, 1, 24],
] as const;

/** The answer has about 2 kB at most. */
export const whyFailed = tool({
  name: "why_failed",
  title: "Why it failed",
  description:
    "Says why a run, a simulation or a production conversation did not pass: each behavior that failed, how it was read, the quoted words that decided, and the tool calls around them. Name one of runId, simulationId and traceId.",
  needs: "read",
  hints: READS,
  input: z.strictObject({
    runId: idInput("run").optional(),
    simulationId: idInput("sim").optional(),
    traceId: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .describe("Any trace of a production conversation: 32 hexadecimal characters."),
  }),
  output: WhyFailed,
  async run({ runId, simulationId, traceId }, context) {
    const given = [runId, simulationId, traceId].filter((id) => id !== undefined);
    if (given.length !== 1) throw usage("Name one of runId, simulationId and traceId.");
    const found =
      runId !== undefined
        ? await ofRun(context, runId)
        : simulationId !== undefined
          ? await ofSimulation(context, simulationId)
          : await ofTrace(context, traceId!);
    return answerOf(found);
  },
});

type Found = { what: string; page: string | null; sources: readonly Source[]; notPassed: number };

async function ofRun({ session }: ToolContext, runId: string): Promise<Found> {
  const { run, simulations, page } = await readResult(session, runId);
  const others = simulations
    .filter(({ verdict }) => verdict !== "passed")
    .sort((one, other) => Number(other.verdict === "failed") - Number(one.verdict === "failed"));
  const sources: Source[] = [];
  for (const simulation of others.slice(0, LEVELS[0][0]))
    sources.push({
      id: simulation.id,
      test: simulation.testName,
      persona: simulation.personaName,
      verdict: simulation.verdict,
      message: simulation.message,
      lastPass: await lastPassOf(session, simulation, run),
      grades: simulation.grades ?? [],
      calls: await callsOf(session, simulation.id),
    });
  const ended = run.status === "completed" ? "" : ` The run is ${run.status}.`;
  const what =
    others.length === 0
      ? `All ${simulations.length} simulations passed.${ended}`
      : `${others.length} of ${simulations.length} simulations did not pass.${ended}`;
  return { what, page, sources, notPassed: others.length };
}

async function callsOf({ client, projectId }: ToolContext["session"], simulationId: string): Promise<Call[]> {
  const { simulation } = await client.simulations.get({ simulationId, projectId });
  return simulation.toolCalls.map(({ name, turnIndex, error }) => ({ name, turn: turnIndex, error }));
}

/** Returns the most recent earlier run in which the same agent passed every iteration of the test. */
async function lastPassOf(
  { client, projectId }: ToolContext["session"],
  { testId, testVersionId }: Pick<ListedSimulation, "testId" | "testVersionId">,
  { id, agentId }: Pick<Run, "id" | "agentId">,
): Promise<LastPass | null> {
  const { passRates } = await client.runs.passRatesOfTest({ testId, agentId, projectId, pageSize: RUNS_LOOKED_AT });
  const own = passRates.findIndex(({ runId }) => runId === id);
  const pass = passRates.find(({ passRate }, at) => at > own && passRate === 1);
  if (own === -1 || pass === undefined) return null;
  const { comparison } = await client.runs.compare({ runId: pass.runId, with: id, projectId });
  const isSameTest = pass.testVersionIds.includes(testVersionId);
  const ownVersions = passRates[own]!.testVersions;
  return {
    runId: pass.runId,
    at: pass.createdAt,
    changed: [
      ...(isSameTest ? [] : [`the test: version ${pass.testVersions.join(", ")}, now ${ownVersions.join(", ")}`]),
      ...comparison.differences.map(({ what, first, second }) => `${what}: ${first}, now ${second}`),
    ],
  };
}

async function ofSimulation({ session }: ToolContext, simulationId: string): Promise<Found> {
  const { client, projectId } = session;
  const { simulation } = await client.simulations.get({ simulationId, projectId });
  const { run } = await client.runs.get({ runId: simulation.runId, projectId });
  const { testName, personaName, verdict, message, grades } = simulation;
  const isPassed = verdict === "passed";
  const lastPass = isPassed ? null : await lastPassOf(session, simulation, run);
  const calls = simulation.toolCalls.map(({ name, turnIndex, error }) => ({ name, turn: turnIndex, error }));
  const page = await runPage(session, run);
  return {
    what: isPassed ? "The simulation passed." : "The simulation did not pass.",
    page: page && `${page}/simulations/${simulationId}`,
    sources: isPassed
      ? []
      : [{ id: simulationId, test: testName, persona: personaName, verdict, message, lastPass, grades, calls }],
    notPassed: isPassed ? 0 : 1,
  };
}

async function ofTrace({ session }: ToolContext, traceId: string): Promise<Found> {
  const { client, projectId } = session;
  const [trace, { grades }] = await Promise.all([
    client.traces.get({ traceId, projectId }),
    client.grades.ofTrace({ traceId, projectId }),
  ]);
  const counting = grades.filter(({ counts }) => counts);
  const isFailed = counting.some(({ verdict }) => verdict === "failed");
  const isPassed = counting.length > 0 && counting.every(({ verdict }) => verdict === "passed");
  const calls = trace.toolCalls.map(({ name, turnIndex, isError, result }) => ({
    name: name ?? "unknown tool",
    turn: turnIndex,
    error: isError === true ? (typeof result === "string" ? result : JSON.stringify(result ?? "failed")) : null,
  }));
  const verdict = isFailed ? "failed" : null;
  return {
    what:
      counting.length === 0
        ? "No grader decided about the conversation."
        : isPassed
          ? "The conversation passed."
          : isFailed
            ? "The conversation failed."
            : "The conversation is not decided.",
    page: await projectPage(session, projectId, `/conversations/${traceId}`),
    sources:
      isPassed || counting.length === 0
        ? []
        : [{ id: traceId, test: null, persona: null, verdict, message: null, lastPass: null, grades, calls }],
    notPassed: isPassed ? 0 : 1,
  };
}

const answerOf = ({ what, page, sources, notPassed }: Found) =>
  firstThatFits(
    LEVELS.map(([conversations, behaviors, quotes, characters]) => () => {
      const failures = sources
        .slice(0, conversations)
        .map((source) => failureOf(source, { behaviors, quotes, characters }));
      const value = { note: DATA_NOTE, what, page, failures, moreFailures: Math.max(0, notPassed - failures.length) };
      const first = failures[0]?.behaviors[0]?.quotes[0]?.quote;
      const text = first === undefined || characters < 70 ? what : `${what}\n${fenced([first])}`;
      return { value, text };
    }),
    BYTES_MAX,
  );

function failureOf(
  { id, test, persona, verdict, message, lastPass, grades, calls }: Source,
  limits: { behaviors: number; quotes: number; characters: number },
): z.input<typeof Failure> {
  const cut = (text: string) => said(text, limits.characters);
  const causes = grades
    .filter((grade) => grade.counts && grade.verdict !== "passed")
    .sort((one, other) => Number(other.verdict === "failed") - Number(one.verdict === "failed"));
  return {
    id,
    test: test && cut(test),
    persona: persona && cut(persona),
    verdict,
    message: message && cut(message),
    lastPass: lastPass && { ...lastPass, changed: lastPass.changed.slice(0, limits.behaviors).map(cut) },
    behaviors: causes.slice(0, limits.behaviors).map((grade) => {
      const turns = new Set(grade.evidence.map(({ turn }) => turn));
      const named = new Set(grade.evidence.map(({ toolCall }) => toolCall));
      return {
        behavior: cut(grade.criterion),
        reading: grade.reading && cut(grade.reading),
        verdict: grade.verdict,
        reason: cut(grade.reason),
        quotes: grade.evidence
          .flatMap(({ turn, quote }) => (quote === null ? [] : [{ turn, quote: cut(quote) }]))
          .slice(0, limits.quotes),
        tools: calls
          .filter(({ turn, error }, at) => named.has(at) || (error !== null && turns.has(turn)))
          .slice(0, limits.quotes)
          .map(({ name, turn, error }) => ({ turn, name: cut(name), error: error && cut(error) })),
      };
    }),
    moreBehaviors: Math.max(0, causes.length - limits.behaviors),
  };
}
