import { Flags } from "@oclif/core";
import { EVENT_TYPES, textOfEvent } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List what happened in the project in the last 30 days, newest first",
  description: "Destinations receive these events. `--json` prints each event as a webhook gets it.",
  examples: [
    "<%= config.bin %> events list",
    "<%= config.bin %> events list --type conversation.failed --limit 5 --json",
  ],
  flags: {
    type: Flags.option({ options: EVENT_TYPES, description: "Only events of this type.", helpValue: "<type>" })(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { type, limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.events.list, { projectId, type, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list, { flags }) =>
    table(
      list.items,
      [
        { title: "when", cell: ({ timestamp }) => ago(timestamp) },
        { title: "event", cell: ({ type }) => type, spare: 1 },
        { title: "what", cell: (event) => textOfEvent(event).title, cut: true },
        { title: "page", cell: ({ link }) => link, whole: true },
      ],
      flags.type === undefined
        ? "Nothing has happened in the last 30 days. An event comes with the end of a run: svc runs start --help"
        : `No event ${flags.type} happened in the last 30 days.`,
    ) + moreLine(list),
});
