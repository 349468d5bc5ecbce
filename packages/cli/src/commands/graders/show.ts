import { argument, command } from "../../command.ts";
import { definitionText, graderText } from "../../grader-content.ts";
import { graderIdOf } from "../../names.ts";
import { paint, table } from "../../output.ts";
import { ago } from "../../times.ts";

const VERSIONS_SHOWN = 20;

export default command({
  examples: ['<%= config.bin %> graders show "No promises"'],
  args: { grader: argument("Id or exact name.") },
  async run({ args, connect }) {
    const connection = await connect();
    const { client, project: projectId } = connection;
    const graderId = await graderIdOf(connection, args.grader);
    const { grader } = await client.graders.get({ graderId, projectId });
    const { versions } = await client.graders.versions({ graderId, projectId, pageSize: VERSIONS_SHOWN });
    return { ...grader, versions };
  },
  show({ versions, ...grader }) {
    const about = `${paint.bold(grader.name)}\n${graderText(grader)}`;
    if (versions.length < 2) return about;
    const shown = table(
      versions,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "id", cell: ({ id }) => id },
        { title: "made", cell: ({ createdAt }) => (createdAt === null ? "" : ago(createdAt)) },
        { title: "looks at", cell: ({ definition }) => definitionText(definition) },
      ],
      "",
    );
    return `${about}\n\n${shown}`;
  },
});
