import type { Grade, ListedSimulation, Run, Simulation } from "@svc/contract";
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
  id: z.string().describe("Id of the simulation, or of a trace of the conversation."),
  simulations: z.int().describe("Simulations of the run that did not pass in the same way; `id` is one of them."),
  played: z.int().describe("Simulations of the test in the run."),
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
  turns: z.array(z.string()).describe("Turns around the one that decided; without one, the last turns."),
});
const Further = Failure.pick({ id: true, test: true, verdict: true, simulations: true }).extend({
  reason: z.string().nullable(),
});
const WhyFailed = z.strictObject({
  note: z.string(),
  what: z.string(),
  page: z.string().nullable(),
  failures: z.array(Failure).describe("Each different failure of a test once."),
  further: z.array(Further).describe("Further failures. Ask with the simulationId of one."),
  moreFailures: z.int().describe("Failures that are in neither list."),
});

type Call = { name: string; turn: number | null; error: string | null };

type LastPass = { runId: string; at: string; changed: string[] };

type Turn = { index: number; role: string; text: string | null };

type Source = {
  id: string;
  simulations: number;
  played: number;
  test: string | null;
  persona: string | null;
  verdict: ListedSimulation["verdict"];
  message: string | null;
  lastPass: LastPass | null;
  grades: readonly Pick<Grade, "criterion" | "reading" | "verdict" | "reason" | "evidence" | "counts">[];
  calls: readonly Call[];
  turns: readonly Turn[];
};

/**
 * Sizes of an answer, from the largest to the smallest: the numbers of failures, of further failures by name, of behaviors per failure, of
 * quotes per behavior and of turns; and the characters of a reason, which says most, and of another text.
 */
const LEVELS = [
  { failures: 5, further: 10, behaviors: 4, quotes: 3, turns: 8, ofReason: 300, ofText: 300 },
  { failures: 4, further: 6, behaviors: 3, quotes: 3, turns: 3, ofReason: 300, ofText: 160 },
  { failures: 3, further: 5, behaviors: 3, quotes: 2, turns: 3, ofReason: 250, ofText: 110 },
  { failures: 3, further: 4, behaviors: 2, quotes: 1, turns: 2, ofReason: 200, ofText: 70 },
  { failures: 2, further: 4, behaviors: 2, quotes: 1, turns: 2, ofReason: 200, ofText: 60 },
  { failures: 1, further: 4, behaviors: 2, quotes: 1, turns: 2, ofReason: 200, ofText: 60 },
  { failures: 1, further: 2, behaviors: 1, quotes: 1, turns: 2, ofReason: 120, ofText: 40 },
  { failures: 1, further: 1, behaviors: 1, quotes: 1, turns: 0, ofReason: 40, ofText: 24 },
] as const;
type Level = (typeof LEVELS)[number];

/** The answer has about 2 kB at most. */
export const whyFailed = tool({
  name: "why_failed",
  title: "Why it failed",
  description:
    "Says why a run, a simulation or a production conversation did not pass: each behavior that failed or is undecided, how it was read, the quoted words that decided, and the tool calls and turns around them. For a run, each different failure once. Name one of runId, simulationId and traceId.",
  needs: "read",
  hints: READS,
  input: z.strictObject({
    runId: idInput("run").optional(),
    simulationId: idInput("sim").optional(),
    traceId: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .describe("Any trace of a conversation: 32 hexadecimal characters."),
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

type Brief = Pick<Source, "id" | "test" | "verdict" | "simulations" | "message" | "grades">;

type Found = { what: string; page: string | null; sources: readonly Source[]; further: readonly Brief[] };

async function ofRun({ session }: ToolContext, runId: string): Promise<Found> {
  const { run, simulations, page } = await readResult(session, runId);
  const others = simulations.filter(({ verdict }) => verdict !== "passed");
  const different = [...Map.groupBy(others, failureKeyOf).values()].sort(
    ([one], [other]) => Number(other!.verdict === "failed") - Number(one!.verdict === "failed"),
  );
  const briefOf = (same: ListedSimulation[]) => {
    const { id, testName, verdict, message, grades = [] } = same[0]!;
    return { id, test: testName, verdict, simulations: same.length, message, grades };
  };
  const sources: Source[] = [];
  for (const same of different.slice(0, LEVELS[0].failures)) {
    const one = same[0]!;
    sources.push({
      ...briefOf(same),
      played: simulations.filter(({ testVersionId }) => testVersionId === one.testVersionId).length,
      persona: one.personaName,
      lastPass: await lastPassOf(session, one, run),
      ...(await evidenceOf(session, one.id)),
    });
  }
  const ended = run.status === "completed" ? "" : ` The run is ${run.status}.`;
  const what =
    others.length === 0
      ? `All ${simulations.length} simulations passed.${ended}`
      : `${others.length} of ${simulations.length} simulations did not pass.${ended}`;
  return { what, page, sources, further: different.slice(sources.length).map(briefOf) };
}

/** Simulations of a test with the same key failed in the same way. */
const failureKeyOf = ({ testVersionId, verdict, grades = [] }: ListedSimulation): string =>
  JSON.stringify([testVersionId, verdict, causesOf(grades).map((grade) => [grade.criterion, grade.verdict])]);

const causesOf = (grades: Source["grades"]) =>
  grades
    .filter((grade) => grade.counts && grade.verdict !== "passed")
    .sort((one, other) => Number(other.verdict === "failed") - Number(one.verdict === "failed"));

async function evidenceOf({ client, projectId }: ToolContext["session"], simulationId: string) {
  return evidenceIn((await client.simulations.get({ simulationId, projectId })).simulation);
}

const evidenceIn = ({ toolCalls, turns }: Simulation): Pick<Source, "calls" | "turns"> => ({
  calls: toolCalls.map(({ name, turnIndex, error }) => ({ name, turn: turnIndex, error })),
  turns,
});

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
  const source = { id: simulationId, test: testName, persona: personaName, verdict, message, lastPass, grades };
  const page = await runPage(session, run);
  return {
    what: isPassed ? "The simulation passed." : "The simulation did not pass.",
    page: page && `${page}/simulations/${simulationId}`,
    sources: isPassed ? [] : [{ ...source, simulations: 1, played: 1, ...evidenceIn(simulation) }],
    further: [],
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
        : [
            {
              id: traceId,
              simulations: 1,
              played: 1,
              test: null,
              persona: null,
              verdict,
              message: null,
              lastPass: null,
              grades,
              calls,
              turns: trace.turns,
            },
          ],
    further: [],
  };
}

const answerOf = ({ what, page, sources, further }: Found) =>
  firstThatFits(
    LEVELS.map((level) => () => {
      const failures = sources.slice(0, level.failures).map((source) => failureOf(source, level));
      const rest = [...sources.slice(level.failures), ...further];
      const named = rest.slice(0, level.further).map(({ id, test, verdict, simulations, message, grades }) => ({
        id,
        test: test && said(test, level.ofText),
        verdict,
        simulations,
        reason: said(causesOf(grades)[0]?.reason ?? message ?? "", level.ofText) || null,
      }));
      const moreFailures = rest.length - named.length;
      const value = { note: DATA_NOTE, what, page, failures, further: named, moreFailures };
      const first = failures[0]?.behaviors[0]?.quotes[0]?.quote;
      const text = first === undefined || level.ofText < 70 ? what : `${what}\n${fenced([first])}`;
      return { value, text };
    }),
    BYTES_MAX,
  );

function failureOf(source: Source, level: Level): z.input<typeof Failure> {
  const { test, persona, message, lastPass, calls } = source;
  const cut = (text: string) => said(text, level.ofText);
  const causes = causesOf(source.grades);
  return {
    id: source.id,
    simulations: source.simulations,
    played: source.played,
    test: test && cut(test),
    persona: persona && cut(persona),
    verdict: source.verdict,
    message: message && cut(message),
    lastPass: lastPass && { ...lastPass, changed: lastPass.changed.slice(0, level.behaviors).map(cut) },
    behaviors: causes.slice(0, level.behaviors).map((grade) => {
      const turns = new Set(grade.evidence.map(({ turn }) => turn));
      const named = new Set(grade.evidence.map(({ toolCall }) => toolCall));
      return {
        behavior: cut(grade.criterion),
        reading: grade.reading && cut(grade.reading),
        verdict: grade.verdict,
        reason: said(grade.reason, level.ofReason),
        quotes: grade.evidence
          .flatMap(({ turn, quote }) => (quote === null ? [] : [{ turn, quote: cut(quote) }]))
          .slice(0, level.quotes),
        tools: calls
          .filter(({ turn, error }, at) => named.has(at) || (error !== null && turns.has(turn)))
          .slice(0, level.quotes)
          .map(({ name, turn, error }) => ({ turn, name: cut(name), error: error && cut(error) })),
      };
    }),
    moreBehaviors: Math.max(0, causes.length - level.behaviors),
    turns: turnsAround(source, level.turns).map(({ role, text }) => `${role}: ${text === null ? "…" : cut(text)}`),
  };
}

/** Returns the turn that decided, with the turns before it and one after it. Without such a turn, returns the last turns. */
function turnsAround({ grades, turns }: Source, most: number): readonly Turn[] {
  if (most === 0) return [];
  const decided = causesOf(grades)[0]?.evidence.find(({ turn }) => turn !== null)?.turn;
  const at = turns.findIndex(({ index }) => index === decided);
  const end = at === -1 ? turns.length : Math.min(turns.length, at + 2);
  return turns.slice(Math.max(0, end - most), end);
}
