import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { timesText } from "../../schedules/schedule-text.ts";

export default command({
  summary: "Show a cron expression in words, with its next five times",
  examples: ['<%= config.bin %> schedules preview "0 6 * * 1-5" --tz Europe/Berlin'],
  args: { cron: argument("Cron expression with five fields, in quotes.") },
  flags: { tz: Flags.string({ description: "Time zone. Default: UTC.", helpValue: "<zone>", default: "UTC" }) },
  async run({ args, startSession, flags: { tz: timeZone } }) {
    const { client, projectId } = await startSession();
    return (await client.schedules.preview({ cron: args.cron, timeZone, projectId })).preview;
  },
  show: (preview, { flags }) => timesText(preview, flags.tz),
});
