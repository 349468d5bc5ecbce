import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { definitionText, graderText } from "../../graders/grader-content.ts";
import { idOf } from "../../look-up.ts";
import { paint, table, wholeIdColumn } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

const VERSIONS_SHOWN = 20;

export default command({
  summary: "Show a grader and its versions",
  examples: ['<%= config.bin %> graders show "No promises"'],
  args: { grader: argument("Id or exact name of the grader.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const { client, projectId } = session;
    const graderId = await idOf(session, "grader", args.grader);
    const { grader } = await client.graders.get({ graderId, projectId });
    const { versions } = await client.graders.versions({ graderId, projectId, pageSize: VERSIONS_SHOWN });
    return { ...grader, versions };
  },
  show({ versions, ...grader }) {
    const details = `${paint.bold(grader.name)}\n${graderText(grader)}`;
    if (versions.length < 2) return details;
    const shown = table(
      versions,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "created", cell: ({ createdAt }) => (createdAt === null ? "" : ago(createdAt)) },
        { title: "definition", cell: ({ definition }) => definitionText(definition), cut: true },
        wholeIdColumn,
      ],
      "",
    );
    return `${details}\n\n${shown}`;
  },
});
