import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { table } from "../../terminal/output.ts";

export default command({
  summary: "List the tests that use a persona",
  description: "Tests that list no persona use the default persona of the project. This command does not list them.",
  examples: ["<%= config.bin %> personas usage angry"],
  args: { persona: argument("Id or exact name of the persona.") },
  flags: { limit: limitFlag() },
  async run({ args, startSession, flags: { limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const filter = { personaId: await idOf(session, "persona", args.persona), projectId, pageSize: pageSizeFor(limit) };
    return take(pages(client.personas.usage, filter), limit);
  },
  show: (list, { args }) =>
    table(
      list.items,
      [
        { title: "test", cell: ({ id }) => id },
        { title: "version", cell: ({ versionId }) => versionId, spare: 1 },
        { title: "name", cell: ({ name }) => name },
      ],
      `No test uses this persona. To use it in a test: svc tests edit TEST --persona "${args.persona}"`,
    ) + moreLine(list),
});
