import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { selectConnection } from "../../runs/select.ts";
import { readSchedule, refuseWrongFlags, scheduleFlags } from "../../schedules/schedule-flags.ts";
import { scheduleText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Edit a schedule",
  description:
    "Changes only what the flags name. --suite, --tag and --test together replace the former selection of tests.",
  examples: [
    '<%= config.bin %> schedules edit Nightly --cron "0 5 * * *"',
    "<%= config.bin %> schedules edit Nightly --suite Booking --require 80%",
  ],
  args: { schedule: argument("Id or exact name of the schedule.") },
  flags: {
    name: Flags.string({ description: "New name, unique in the project." }),
    cron: Flags.string({ description: "Cron expression.", helpValue: "<cron>" }),
    ...scheduleFlags(),
    agent: Flags.string({ description: "Id or exact name of the agent." }),
    connection: Flags.string({ description: "Id or exact name of the agent's connection." }),
    "require-all": Flags.boolean({ description: "Require that every iteration passes.", exclusive: ["require"] }),
    "own-personas": Flags.boolean({ description: "Let the personas of each test call.", exclusive: ["persona"] }),
  },
  async run({ args, startSession, flags }) {
    const { json: _, ...set } = flags as typeof flags & { json?: boolean };
    if (Object.values(set).every((value) => value === undefined || value === false))
      throw usage("Nothing to change. Set a flag, such as --cron, --tz, --suite or --require.");
    refuseWrongFlags(flags);
    const session = await startSession();
    const { client, projectId } = session;
    const scheduleId = await idOf(session, "schedule", args.schedule);
    const content = await readSchedule(session, flags);
    const agentId = flags.agent === undefined ? undefined : await idOf(session, "agent", flags.agent);
    const isReached = agentId !== undefined || flags.connection !== undefined;
    const agentOfConnection = isReached
      ? (agentId ?? (await client.schedules.get({ scheduleId, projectId })).schedule.agentId)
      : undefined;
    const { schedule } = await client.schedules.edit({
      scheduleId,
      projectId,
      ...content,
      name: flags.name,
      cron: flags.cron,
      agentId,
      ...(agentOfConnection !== undefined && {
        connectionId: await selectConnection(session, agentOfConnection, flags.connection),
      }),
      ...(flags["require-all"] === true && { require: null }),
      ...(flags["own-personas"] === true && { personas: [] }),
    });
    return schedule;
  },
  show: scheduleText,
});
