import { Flags } from "@oclif/core";
import { command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";
import { contentSummary } from "../../persona-content.ts";

export default command({
  description: "The project's own, newest first, and then those that ship with the service.",
  examples: ["<%= config.bin %> personas list", "<%= config.bin %> personas list --search angry --json"],
  flags: {
    search: Flags.string({ description: "Part of the name." }),
    archived: Flags.boolean({ description: "The archived ones instead of the live ones." }),
    limit: limitFlag(),
  },
  async run({ connect, flags: { search, archived, limit } }) {
    const { client, project: projectId, tokenPages } = await connect();
    const filter = { projectId, search, archived: archived === true, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("personas", (pageToken) => client.personas.list({ ...filter, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "source", cell: ({ source }) => source, spare: 1 },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        { title: "name", cell: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name), cut: true },
        { title: "who calls", cell: contentSummary },
      ],
      "No such personas. See all: svc personas list",
    ) + moreBelow(list),
});
