import type { Grade, JudgeCalibration, JudgeCalibrations, JudgeIdentity, JudgeRates, ModelUsage } from "@svc/contract";
import { counted, facts, hang, paint } from "../terminal/output.ts";
import { painted, verdictWords } from "../runs/verdicts.ts";
import { ago } from "../terminal/times.ts";

const INDENT = 4;

/** Formats the identity of a judge: the model, the version of the prompt, and the dialect. */
const judgeName = ({ model, promptVersion, dialect }: JudgeIdentity): string =>
  `${model}, prompt ${promptVersion}, ${dialect} dialect`;

/** Formats a rate: `97 % (262 of 270, 95 % interval 94 to 98 %)`. */
function rateText({ share, low, high, count, of }: JudgeRates["accuracy"]): string {
  if (share === null || low === null || high === null) return "not known";
  const percent = (part: number) => Math.round(part * 1000) / 10;
  return `${percent(share)} % (${count} of ${of}, 95 % interval ${percent(low)} to ${percent(high)} %)`;
}

/** Formats a measured value: `0.94, 95 % interval 0.9 to 0.97`. */
function measuredText({ value, low, high }: JudgeCalibration["kappa"]): string {
  if (value === null || low === null || high === null) return "not known";
  const [middle, from, to] = [value, low, high].map((number) => Math.round(number * 1000) / 1000);
  return `${middle}, 95 % interval ${from} to ${to}`;
}

/** Formats token usage: `1,204 tokens in (900 cached), 210 out, cost 0.0031`. An unknown number of tokens is `?`. */
export function usageText({
  inputTokens,
  cachedInputTokens,
  outputTokens,
  cost,
}: Omit<ModelUsage, "requests">): string {
  const amount = (tokens: number | null) => tokens?.toLocaleString("en-US") ?? "?";
  return `${amount(inputTokens)} tokens in (${amount(cachedInputTokens)} cached), ${amount(outputTokens)} out, cost ${costText(cost)}`;
}

/** Formats a cost: `0.0031`, or `not known`. */
export const costText = (cost: number | null) => (cost === null ? "not known" : String(Number(cost.toPrecision(4))));

/** Formats the results of a judge on the labelled set, on one line. */
const ratesText = (rates: JudgeRates | null): string =>
  rates === null
    ? "not calibrated; to calibrate it: svc judge calibrate"
    : `accuracy ${rateText(rates.accuracy)}, false passes ${rateText(rates.falsePass)}, false fails ${rateText(rates.falseFail)}, ${ago(rates.finishedAt)}`;

/** Formats one line for each judge of the grades, with its results on the labelled set. */
export function judgesText(grades: readonly Grade[]): string {
  const judges = new Map(
    grades.flatMap(({ judge, calibration }) => (judge ? [[judgeName(judge), calibration] as const] : [])),
  );
  return facts([...judges].map(([name, calibration]) => ["Judge", `${name}: ${ratesText(calibration)}`]));
}

/** Formats a calibration: its rates, its tokens and cost, and each miss. */
export function calibrationText(calibration: JudgeCalibration): string {
  const { judge, setVersion, conversations, behaviors, usage, misses } = calibration;
  const heading = facts([
    ["Judge", paint.bold(judgeName(judge))],
    ["Set", `version ${setVersion}, ${counted(behaviors, "behavior")} over ${counted(conversations, "conversation")}`],
    ["Accuracy", rateText(calibration.accuracy)],
    ["Balanced accuracy", measuredText(calibration.balancedAccuracy)],
    ["Kappa", measuredText(calibration.kappa)],
    ["False passes", rateText(calibration.falsePass)],
    ["False fails", rateText(calibration.falseFail)],
    ["Inconclusive", rateText(calibration.inconclusive)],
    ["No usable reply", rateText(calibration.unusable)],
    ["Used", usageText(usage)],
    ["Finished", ago(calibration.finishedAt)],
  ]);
  return [heading, ...misses.map(missText)].join("\n\n");
}

function missText({ conversationId, behavior, label, verdict, reason, why }: JudgeCalibration["misses"][number]) {
  return [
    `${painted(verdict, verdictWords(verdict))} in place of ${label}  ${hang(behavior, INDENT)}  ${paint.dim(conversationId)}`,
    `${" ".repeat(INDENT)}${paint.dim(hang(`Judge: ${reason}`, INDENT))}`,
    `${" ".repeat(INDENT)}${paint.dim(hang(`Label: ${why}`, INDENT))}`,
  ].join("\n");
}

/** Formats the last calibration of each judge. */
export const calibrationsText = ({ calibrations }: Pick<JudgeCalibrations, "calibrations">): string =>
  calibrations.map(calibrationText).join("\n\n") ||
  "The service has calibrated no judge. To calibrate it: svc judge calibrate";
