import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { oneLine } from "../../terminal/output.ts";

export default command({
  summary: "Delete a schedule",
  description: "The runs of the schedule stay, and a run that is under way continues. Asks for confirmation.",
  examples: ["<%= config.bin %> schedules delete Nightly", "<%= config.bin %> schedules delete Nightly --yes"],
  args: { schedule: argument("Id or exact name of the schedule.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const scheduleId = await idOf(session, "schedule", invocation.args.schedule);
    const { schedule } = await client.schedules.get({ scheduleId, projectId });
    await invocation.confirm(`Delete the schedule "${oneLine(schedule.name)}"? Its runs stay.`);
    await client.schedules.delete({ scheduleId, projectId });
    return { deleted: schedule };
  },
  show: ({ deleted }) => `Deleted the schedule "${oneLine(deleted.name)}" (${deleted.id}).`,
});
