import { Flags } from "@oclif/core";
import { command, limitFlag } from "../../command.ts";
import { definitionText, scopeText, useText } from "../../grader-content.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";

export default command({
  description:
    "A grader that counts influences a simulation's verdict; one that is shown does not. Those that ship with the service stand last.",
  examples: ["<%= config.bin %> graders list", "<%= config.bin %> graders list --archived --json"],
  flags: { archived: Flags.boolean({ description: "The archived ones." }), limit: limitFlag() },
  async run({ connect, flags }) {
    const { client, project: projectId, tokenPages } = await connect();
    const { limit } = flags;
    const pageSize = pageSizeFor(limit);
    const archived = flags.archived === true;
    return take(
      tokenPages("graders", (pageToken) => client.graders.list({ projectId, archived, pageSize, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        { title: "use", cell: useText },
        { title: "grades", cell: scopeText, spare: 1 },
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "looks at", cell: ({ definition }) => definitionText(definition) },
      ],
      "No archived graders. See the live ones: svc graders list",
    ) + moreBelow(list),
});
