import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { table } from "../../output.ts";

const percent = (share: number | null): string => (share === null ? "?" : `${Math.round(share * 100)} %`);

export default command({
  summary: "Show how often a grader and people agree",
  description:
    "Kappa is the agreement beyond chance: 1 is perfect, 0 is chance. False pass is the share of conversations that people call failed and the grader passed. False fail is the opposite. A ? means that labels are missing.",
  examples: ['<%= config.bin %> graders agreement "No promises"'],
  args: { grader: argument("Id or exact name of the grader.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const graderId = await idOf(session, "grader", args.grader);
    return session.client.graders.agreement({ graderId, projectId: session.projectId });
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
    return `${shown}\n\nNo labels yet. To label a grade: svc graders label GRADE_ID passed|failed`;
  },
});
