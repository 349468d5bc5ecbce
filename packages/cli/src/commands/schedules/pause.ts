import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { scheduleText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Pause a schedule, so that no run starts by itself",
  description: "A run that is under way continues.",
  examples: ["<%= config.bin %> schedules pause Nightly"],
  args: { schedule: argument("Id or exact name of the schedule.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const scheduleId = await idOf(session, "schedule", args.schedule);
    return (await session.client.schedules.edit({ scheduleId, paused: true, projectId: session.projectId })).schedule;
  },
  show: scheduleText,
});
