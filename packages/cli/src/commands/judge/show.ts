import { command } from "../../command.ts";
import { calibrationsText } from "../../graders/judge-text.ts";

export default command({
  summary: "Show the last calibration of each judge",
  examples: ["<%= config.bin %> judge show"],
  async run({ startSession }) {
    const { client, projectId } = await startSession();
    return client.judge.calibrations({ projectId });
  },
  show: calibrationsText,
});
