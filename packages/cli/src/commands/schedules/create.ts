import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";
import { selectAgent, selectConnection } from "../../runs/select.ts";
import { readSchedule, refuseWrongFlags, scheduleFlags } from "../../schedules/schedule-flags.ts";
import { scheduleText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Create a schedule",
  description:
    "The expression has five fields: minute, hour, day of the month, month, day of the week. To see its times first, use svc schedules preview.",
  examples: [
    '<%= config.bin %> schedules create --cron "0 6 * * 1-5" --tz Europe/Berlin --suite Booking --agent Hotel',
    '<%= config.bin %> schedules create --cron "*/30 * * * *" --tag smoke --iterations 5 --require 4/5 --name Smoke',
  ],
  flags: {
    cron: Flags.string({ description: 'Cron expression, such as "0 6 * * 1-5".', required: true, helpValue: "<cron>" }),
    ...scheduleFlags(),
    agent: Flags.string({ description: "Id or exact name of the agent. Default: the only agent." }),
    connection: Flags.string({
      description: "Id or exact name of the agent's connection. Default: the agent's only connection.",
    }),
    name: Flags.string({
      description:
        "Name of the schedule, unique in the project. Default: the tests that it plays, and the cron expression.",
    }),
    paused: Flags.boolean({ description: "Start no run until the schedule is resumed." }),
  },
  async run({ startSession, flags }) {
    const { suite, tag, test, cron } = flags;
    if ((suite ?? tag ?? test) === undefined)
      throw usage("There is nothing to run. Set --suite SUITE, --tag TAG or --test TEST.");
    refuseWrongFlags(flags);
    const session = await startSession();
    const { client, projectId } = session;
    const agentId = await selectAgent(session, flags.agent);
    const { schedule } = await client.schedules.create({
      ...(await readSchedule(session, flags)),
      name: flags.name ?? `${suite ?? tag?.join(", ") ?? test!.join(", ")}, ${cron}`.slice(0, 200),
      cron,
      agentId,
      connectionId: await selectConnection(session, agentId, flags.connection),
      paused: flags.paused === true,
      projectId,
    });
    return schedule;
  },
  show: scheduleText,
});
