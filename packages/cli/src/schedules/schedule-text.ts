import type { Outcome, Schedule, ScheduledRun, SchedulePreview } from "@svc/contract";
import { counted, facts, oneLine, paint, table } from "../terminal/output.ts";
import { moment } from "../terminal/times.ts";

/** Example: `2026-11-25 06:00 (2026-11-25 05:00:00 UTC)`. */
export function inZone(time: string, timeZone: string): string {
  const shown = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
    new Date(time),
  );
  return timeZone === "UTC" ? moment(time) : `${shown} (${moment(time)})`;
}

const OUTCOMES: Record<Outcome, string> = { passed: "passed", failed: "failed", undecided: "undecided" };

export function outcomeText(outcome: Outcome | null): string {
  if (outcome === null) return "under way";
  const color = { passed: paint.green, failed: paint.red, undecided: paint.yellow }[outcome];
  return color(OUTCOMES[outcome]);
}

export function nextText({ paused, waiting, nextTimes, timeZone }: Schedule): string {
  if (paused) return "paused";
  if (waiting) return "waits for the run before";
  return inZone(nextTimes[0]!, timeZone);
}

export const timesText = ({ words, nextTimes }: SchedulePreview, timeZone: string): string =>
  [`${words} (${timeZone})`, ...nextTimes.map((time) => `  ${inZone(time, timeZone)}`)].join("\n");

const selectionText = ({ suiteId, suiteName, tags, testIds }: Schedule): string =>
  [
    ...(suiteId === null ? [] : [`suite ${suiteName === null ? `${suiteId} (deleted)` : `"${suiteName}"`}`]),
    ...(tags.length === 0 ? [] : [`tests with the tag ${tags.join(" or ")}`]),
    ...(testIds.length === 0 ? [] : [counted(testIds.length, "test")]),
  ].join(", ");

export function scheduleText(schedule: Schedule): string {
  const { problem, missedCount, skippedCount, lastMissedAt, personas } = schedule;
  const lost = [
    ...(missedCount > 0 ? [`${missedCount} missed`] : []),
    ...(skippedCount > 0 ? [`${skippedCount} skipped, because the run before was still going`] : []),
  ];
  const shown = facts([
    ["schedule", `${oneLine(schedule.name)} (${schedule.id})`],
    ["times", `${schedule.words} (${schedule.cron}, ${schedule.timeZone})`],
    ["agent", schedule.agentName],
    ["plays", selectionText(schedule)],
    ["personas", personas.length === 0 ? undefined : personas.join(", ")],
    ["iterations", String(schedule.iterations)],
    ["requires", schedule.require ?? undefined],
    ["overlap", schedule.overlap],
    ["without a run", lost.length === 0 ? undefined : `${lost.join(", ")}; the last at ${moment(lastMissedAt!)}`],
    ["next", schedule.paused || schedule.waiting ? nextText(schedule) : undefined],
  ]);
  const problems =
    problem === null ? [] : [paint.red(`No run at ${moment(problem.at)}: ${oneLine(problem.message)}`), ""];
  const next = schedule.nextTimes.map((time) => `  ${inZone(time, schedule.timeZone)}`);
  return [...problems, shown, ...(next.length === 0 ? [] : ["", "Next times:", ...next])].join("\n");
}

const names = (count: number, tests: readonly { testName: string }[]): string =>
  tests.map(({ testName }) => oneLine(testName)).join(", ") +
  (count > tests.length ? ` and ${count - tests.length} more` : "");

export const runsText = (runs: readonly ScheduledRun[]): string =>
  table(
    runs,
    [
      { title: "due", cell: ({ scheduledFor, createdAt }) => moment(scheduledFor ?? createdAt) },
      { title: "outcome", cell: ({ outcome }) => outcomeText(outcome) },
      { title: "broken", cell: ({ brokenCount, brokenTests }) => names(brokenCount, brokenTests), cut: true },
      { title: "mended", cell: ({ mendedCount, mendedTests }) => names(mendedCount, mendedTests), cut: true },
      { title: "last good run", cell: ({ lastGoodRunId }) => lastGoodRunId ?? "", spare: 1 },
      { title: "run", cell: ({ runId }) => runId, whole: true },
    ],
    "No run yet. To start one now: svc schedules run SCHEDULE",
  );
