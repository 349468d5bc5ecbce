import type { Grade, Simulation } from "@svc/contract";
import { judgesText } from "../graders/judge-text.ts";
import { facts, hang, hangAfter, paint } from "../terminal/output.ts";
import { readingLines } from "../authoring/reading-text.ts";
import { clock, duration } from "../terminal/times.ts";
import { lineLines } from "../traces/line-text.ts";
import { hasNoJudge, noticesOf } from "./notices.ts";
import { stateText } from "./state-text.ts";
import { evidenceLines, painted, verdictWords } from "./verdicts.ts";

const INDENT = 20;
const UNKNOWN_WORDS = "(speaks; the words are unknown)";
const USE_MOCKS = "call monitor_platform_b(ctx) in the agent's process before its session starts";

export function simulationText(simulation: Simulation): string {
  return [
    headingOf(simulation),
    ...noticesOf([simulation]).map((notice) => paint.yellow(hang(notice, 0))),
    conversationOf(simulation),
    lineLines(simulation.line).join("\n"),
    gradesOf(simulation),
    judgesText(simulation.grades),
    toolsOf(simulation),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function headingOf(simulation: Simulation): string {
  const { testName, personaName, iteration, verdict, message, endingReason, endedBy } = simulation;
  const ending = endingReason === null ? stateText(simulation) : `${endingReason} (by the ${endedBy})`;
  return facts([
    ["Simulation", simulation.id],
    ["Test", `${paint.bold(testName)} · ${personaName} · #${iteration}`],
    ["Version", simulation.testVersionId],
    ["Run", simulation.runId],
    ["Verdict", painted(verdict, verdictWords(verdict))],
    ["Decided", `${simulation.behaviorsGraded} of ${simulation.behaviorCount} behaviors`],
    ["Ending", ending],
    ["Message", message ?? undefined],
    ["Took", duration(simulation.durationMs)],
    ["Trace", simulation.traceId ?? undefined],
  ]);
}

function conversationOf({ turns, toolCalls }: Simulation): string {
  if (turns.length === 0 && toolCalls.length === 0) return "The simulation has no turns.";
  const startMs = Date.parse(turns[0]?.startedAt ?? "");
  const calls = toolCalls.map((call, index) => ({ call, index }));
  const callsOf = (turn: number | null) => calls.filter(({ call }) => call.turnIndex === turn).map(toolText);
  const lines = turns.flatMap((turn) => {
    const who = turn.role === "agent" ? paint.cyan("agent ") : paint.yellow("caller");
    const at = clock(Date.parse(turn.startedAt) - startMs).padStart(7);
    const number = String(turn.index).padStart(3);
    return [
      ...callsOf(turn.index),
      `${paint.dim(`${number}  ${at}`)}  ${who}  ${hang(turn.text ?? UNKNOWN_WORDS, INDENT)}`,
    ];
  });
  const others = calls.filter(({ call }) => call.turnIndex === null || call.turnIndex >= turns.length).map(toolText);
  return [...lines, ...others].join("\n");
}

function toolText({ call, index }: { call: Simulation["toolCalls"][number]; index: number }): string {
  const space = " ".repeat(INDENT);
  const unmocked = call.mocked ? "" : paint.red(" (not mocked)");
  const result = call.error === null ? JSON.stringify(call.result) : paint.red(`failed: ${call.error}`);
  return [
    hangAfter(`${space}${paint.magenta("→")} [${index}] ${call.name} `, JSON.stringify(call.arguments), INDENT + 2) +
      unmocked,
    `${space}${paint.magenta("←")} ${hang(result, INDENT + 2)}`,
  ].join("\n");
}

function gradesOf({ grades }: Simulation): string {
  const shown = grades.filter(({ counts, verdict }) => counts || verdict === "failed");
  return shown.map(gradeText).join("\n");
}

const DECIDED_BY: Record<Grade["decidedBy"], string> = {
  check: "by check",
  judge: "by judge",
  built_in: "by built-in grader",
  veto: "by veto",
  none: "not decided",
};

function gradeText(grade: Grade): string {
  const verdict = painted(grade.verdict, verdictWords(grade.verdict).padEnd(12));
  const aside = grade.counts ? "" : ", does not count";
  const title = `${grade.counts ? grade.criterion : grade.graderName} (${DECIDED_BY[grade.decidedBy]}${aside})`;
  return [
    `${verdict}  ${hang(title, 14)}`,
    ...(hasNoJudge(grade) ? [] : [...readingLines(grade), grade.reason, ...evidenceLines(grade)]).map(
      (line) => `${" ".repeat(14)}${paint.dim(hang(line, 14))}`,
    ),
  ].join("\n");
}

function toolsOf({ tools }: Simulation): string {
  if (tools.discovered.length === 0) return "";
  const names = (list: string[]) => (list.length > 0 ? list.join(", ") : undefined);
  const bypassed = tools.uncovered.filter((name) => tools.unmocked.includes(name));
  const others = (list: string[]) => names(list.filter((name) => !bypassed.includes(name)));
  return facts([
    ["Tools called", names(tools.covered)],
    ["Never called", others(tools.uncovered)],
    ["Not mocked", others(tools.unmocked)],
    ["Mock bypassed", bypassed.length > 0 ? `${names(bypassed)} (${USE_MOCKS})` : undefined],
  ]);
}
