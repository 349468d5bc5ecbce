import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { runPage, startedText } from "../../runs/page.ts";

export default command({
  summary: "Start a run of a schedule now",
  description:
    "The due times of the schedule do not change. The service refuses this while a run of the schedule is under way.",
  examples: ["<%= config.bin %> schedules run Nightly"],
  args: { schedule: argument("Id or exact name of the schedule.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const scheduleId = await idOf(session, "schedule", args.schedule);
    const { run } = await session.client.schedules.run({ scheduleId, projectId: session.projectId });
    return { run, page: await runPage(session, run) };
  },
  show: startedText,
});
