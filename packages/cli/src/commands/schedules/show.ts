import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { runsText, scheduleText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Show a schedule, its next times and its last runs",
  examples: ["<%= config.bin %> schedules show Nightly"],
  args: { schedule: argument("Id or exact name of the schedule.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const { client, projectId } = session;
    const scheduleId = await idOf(session, "schedule", args.schedule);
    const { schedule } = await client.schedules.get({ scheduleId, projectId });
    const { runs } = await client.schedules.runs({ scheduleId, projectId, pageSize: 10 });
    return { schedule, runs };
  },
  show: ({ schedule, runs }) => `${scheduleText(schedule)}\n\n${runsText(runs)}`,
});
