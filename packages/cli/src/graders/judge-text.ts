import type { Grade, JudgeCalibration, JudgeCalibrations, JudgeIdentity, JudgeRates, ModelUsage } from "@svc/contract";
import { counted, facts, hang, paint } from "../terminal/output.ts";
import { painted, verdictWords } from "../runs/verdicts.ts";
import { ago } from "../terminal/times.ts";

const INDENT = 4;

const judgeName = ({ model, promptVersion, dialect }: JudgeIdentity): string =>
  `${model}, prompt ${promptVersion}, ${dialect} dialect`;

function rateText({ share, low, high, count, of }: JudgeRates["accuracy"]): string {
  if (share === null || low === null || high === null) return "not known";
  const percent = (part: number) => Math.round(part * 1000) / 10;
  return `${percent(share)} % (${count} of ${of}, 95 % interval ${percent(low)} to ${percent(high)} %)`;
}

function measuredText({ value, low, high }: JudgeCalibration["kappa"]): string {
  if (value === null || low === null || high === null) return "not known";
  const [middle, from, to] = [value, low, high].map((number) => Math.round(number * 1000) / 1000);
  return `${middle}, 95 % interval ${from} to ${to}`;
}

export function usageText({
  inputTokens,
  cachedInputTokens,
  outputTokens,
  cost,
}: Omit<ModelUsage, "requests">): string {
  const amount = (tokens: number | null) => tokens?.toLocaleString("en-US") ?? "?";
  return `${amount(inputTokens)} tokens in (${amount(cachedInputTokens)} cached), ${amount(outputTokens)} out, cost ${costText(cost)}`;
}

export const costText = (cost: number | null) => (cost === null ? "not known" : String(Number(cost.toPrecision(4))));

const ratesText = (rates: JudgeRates | null): string =>
  rates === null
    ? "not calibrated; to calibrate it: svc judge calibrate"
    : `accuracy ${rateText(rates.accuracy)}, false passes ${rateText(rates.falsePass)}, false fails ${rateText(rates.falseFail)}, ${ago(rates.finishedAt)}`;

export function judgesText(grades: readonly Grade[]): string {
  const judges = new Map(
    grades.flatMap(({ judge, calibration }) => (judge ? [[judgeName(judge), calibration] as const] : [])),
  );
  return facts([...judges].map(([name, calibration]) => ["Judge", `${name}: ${ratesText(calibration)}`]));
}

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

export const calibrationsText = ({ calibrations }: Pick<JudgeCalibrations, "calibrations">): string =>
  calibrations.map(calibrationText).join("\n\n") ||
  "The service has calibrated no judge. To calibrate it: svc judge calibrate";
