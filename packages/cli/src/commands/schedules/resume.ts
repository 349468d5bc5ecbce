import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { scheduleText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Resume a paused schedule",
  description: "The next run is at the next due time. Missed due times do not cause a run.",
  examples: ["<%= config.bin %> schedules resume Nightly"],
  args: { schedule: argument("Id or exact name of the schedule.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const scheduleId = await idOf(session, "schedule", args.schedule);
    return (await session.client.schedules.edit({ scheduleId, paused: false, projectId: session.projectId })).schedule;
  },
  show: scheduleText,
});
