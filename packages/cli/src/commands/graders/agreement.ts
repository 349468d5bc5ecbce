import { argument, command } from "../../command.ts";
import { graderIdOf } from "../../names.ts";
import { table } from "../../output.ts";

const percent = (share: number | null): string => (share === null ? "?" : `${Math.round(share * 100)} %`);

export default command({
  description:
    "Kappa is agreement beyond that of chance: 1 is perfect, 0 is guessing. False pass: of what people call failed, the share that the grader passed; false fail the other way round. A ? stands where no label tells.",
  examples: ['<%= config.bin %> graders agreement "No promises"'],
  args: { grader: argument("Id or exact name.") },
  async run({ args, connect }) {
    const connection = await connect();
    const graderId = await graderIdOf(connection, args.grader);
    return connection.client.graders.agreement({ graderId, projectId: connection.project });
  },
  show({ versions }) {
    const shown = table(
      versions,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "id", cell: ({ versionId }) => versionId, spare: 1 },
        { title: "labels", cell: ({ labels }) => String(labels), right: true },
        { title: "undecided", cell: ({ undecided }) => String(undecided), right: true },
        { title: "agreement", cell: ({ agreement }) => percent(agreement), right: true },
        { title: "kappa", cell: ({ kappa }) => kappa?.toFixed(2) ?? "?", right: true },
        { title: "false pass", cell: ({ falsePass }) => percent(falsePass), right: true },
        { title: "false fail", cell: ({ falseFail }) => percent(falseFail), right: true },
      ],
      "",
    );
    if (versions.some(({ labels }) => labels > 0)) return shown;
    return `${shown}\n\nNo labels yet. Say what a verdict should be: svc graders label GRADE_ID passed|failed`;
  },
});
