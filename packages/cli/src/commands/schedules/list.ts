import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { nextText, outcomeText } from "../../schedules/schedule-text.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, oneLine, table } from "../../terminal/output.ts";

export default command({
  summary: "List schedules",
  examples: ["<%= config.bin %> schedules list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.schedules.list, { projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => oneLine(name), cut: true },
        { title: "times", cell: ({ words, timeZone }) => `${words} (${timeZone})`, cut: true },
        { title: "next", cell: nextText, spare: 2 },
        {
          title: "last run",
          cell: ({ problem, lastRuns: [last] }) =>
            problem !== null ? "could not start" : last === undefined ? "none" : outcomeText(last.outcome),
        },
        idColumn,
      ],
      'No schedules. To create one: svc schedules create --cron "0 6 * * 1-5" --tz Europe/Berlin --suite SUITE --agent AGENT',
    ) + moreLine(list),
});
