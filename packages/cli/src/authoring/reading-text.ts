import { type ApiBehaviorReading, type BehaviorReading, type GradeSummary, SET_LANGUAGE_MODEL } from "@svc/contract";
import { counted, hang, paint, terminalColumns } from "../terminal/output.ts";

type Reading = ApiBehaviorReading | BehaviorReading;

const DECIDERS: Record<BehaviorReading["decidedBy"], string> = {
  check: "check",
  judge: "judge",
  nobody: "nobody decides",
};

/** `indent` is the column at which the caller prints the text. */
export const readingsText = (readings: readonly Reading[], indent = 0): string =>
  readings.map((reading) => readingText(reading, terminalColumns - indent)).join("\n");

function readingText(reading: Reading, columns: number): string {
  const { behavior, reading: sentence, suggestion, problem } = reading;
  const decider = deciderOf(reading);
  const words = (decider === "nobody" ? paint.yellow : paint.dim)(`${DECIDERS[decider]}:`);
  const lines = [`- ${hang(behavior, 2, columns)}`, `  ${hang(`${words} ${problem ?? sentence}`, 2, columns)}`];
  if (suggestion !== null) lines.push(`  ${hang(`${paint.dim("nearest form:")} ${suggestion}`, 2, columns)}`);
  return lines.join("\n");
}

const deciderOf = (reading: Reading): BehaviorReading["decidedBy"] =>
  "decidedBy" in reading ? reading.decidedBy : reading.decided_by;

export function judgeRemedy(readings: readonly Reading[]): string | undefined {
  const isUnjudged = (reading: Reading) =>
    deciderOf(reading) === "nobody" && reading.form === null && reading.problem === null;
  const count = readings.filter(isUnjudged).length;
  if (count === 0) return undefined;
  const behaviors = count === 1 ? "1 behavior needs" : `${counted(count, "behavior")} need`;
  return `${behaviors} a judge, and the service has none. ${SET_LANGUAGE_MODEL}, or write each in a form of docs/behaviors.md.`;
}

export const readingLines = ({ reading }: Pick<GradeSummary, "reading">): string[] =>
  reading === null ? [] : [`read as: ${reading}`];
