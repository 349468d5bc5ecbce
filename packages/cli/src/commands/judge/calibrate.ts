import { setTimeout as delay } from "node:timers/promises";
import type { JudgeCalibrations } from "@svc/contract";
import { command } from "../../command.ts";
import { calibrationText } from "../../graders/judge-text.ts";
import { Refusal } from "../../refusal.ts";

const POLL_MS = 500;

export default command({
  summary: "Measure how often the judge is right about a labelled set",
  description:
    "Judges the labelled set that ships with the service and waits for the result: accuracy, balanced accuracy, kappa and the share of each kind of error, with 95 % intervals, and a list of the errors. This uses the service's language model. The service stores the result and shows it beside the judge's verdicts. Ctrl-C ends the wait, and the calibration continues.",
  examples: ["<%= config.bin %> judge calibrate", "<%= config.bin %> judge calibrate --json > calibration.json"],
  async run({ startSession, progress }) {
    const { client, projectId } = await startSession();
    let state = await client.judge.calibrate({ projectId });
    const startedAt = state.running?.startedAt;
    while (state.running?.startedAt === startedAt && state.running !== null) {
      progress.now(progressText(state.running));
      await delay(POLL_MS);
      state = await client.judge.calibrations({ projectId });
    }
    progress.clear();
    const [calibration] = state.calibrations;
    if (state.failure !== null || calibration === undefined)
      throw new Refusal(
        "calibration_failed",
        state.failure ?? "The service stopped during the calibration. Start it again.",
      );
    return { calibration };
  },
  show: ({ calibration }) => calibrationText(calibration),
});

const BAR_CELLS = 20;

function progressText({ done, total }: NonNullable<JudgeCalibrations["running"]>): string {
  const bar = "#".repeat(Math.floor((done / total) * BAR_CELLS)).padEnd(BAR_CELLS, "-");
  return `Calibration [${bar}] ${done} of ${total} behaviors`;
}
