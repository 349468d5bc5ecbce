import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { hang, table } from "../../terminal/output.ts";

const rounded = (share: number) => Math.round(share * 100);

const percent = (share: number | null, low: number | null, high: number | null): string =>
  share === null ? "?" : `${rounded(share)} % (${rounded(low!)}–${rounded(high!)})`;

type Kappa = { kappa: number | null; kappaLow: number | null; kappaHigh: number | null };

const kappaText = ({ kappa, kappaLow, kappaHigh }: Kappa): string =>
  kappa === null ? "?" : `${kappa.toFixed(2)} (${kappaLow!.toFixed(2)}–${kappaHigh!.toFixed(2)})`;

export default command({
  summary: "Show how often a judge and people agree",
  description:
    "Only grades that a language model decided count, separately for each grader version and judge. Kappa is the agreement beyond chance: 1 is perfect, 0 is chance. False pass is the share of conversations that people call failed and the judge passed. False fail is the opposite. Balanced is the mean of two shares: the right grades among those that people call passed, and among those that people call failed. A judge that always gives the same verdict has 50 %. People is the kappa between two people who labeled the same grades, with the number of these grades. The 95 % interval is in parentheses. A ? means that there are too few labels.",
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
        {
          title: "judge",
          cell: ({ judge }) => (judge === null ? "none" : `${judge.model}, prompt ${judge.promptVersion}`),
          cut: true,
        },
        { title: "labels", cell: ({ labels }) => String(labels), right: true },
        { title: "undecided", cell: ({ undecided }) => String(undecided), right: true },
        { title: "by code", cell: ({ judgedByCode }) => String(judgedByCode), right: true },
        {
          title: "agreement",
          cell: ({ agreement, agreementLow, agreementHigh }) => percent(agreement, agreementLow, agreementHigh),
          right: true,
        },
        { title: "kappa", cell: kappaText, right: true },
        {
          title: "balanced",
          cell: ({ balancedAccuracy, balancedAccuracyLow, balancedAccuracyHigh }) =>
            percent(balancedAccuracy, balancedAccuracyLow, balancedAccuracyHigh),
          right: true,
        },
        {
          title: "false pass",
          cell: ({ falsePass, falsePassLow, falsePassHigh }) => percent(falsePass, falsePassLow, falsePassHigh),
          right: true,
        },
        {
          title: "false fail",
          cell: ({ falseFail, falseFailLow, falseFailHigh }) => percent(falseFail, falseFailLow, falseFailHigh),
          right: true,
        },
        {
          title: "people",
          cell: ({ people }) => (people.grades === 0 ? "?" : `${kappaText(people)} of ${people.grades}`),
          right: true,
        },
      ],
      "",
    );
    const reasons = new Set(
      versions.flatMap(({ missing, labels, people }) => [
        ...(missing && labels > 0 ? [missing] : []),
        ...(people.missing && people.grades > 0 ? [people.missing] : []),
      ]),
    );
    const below = [...reasons].map((reason) => hang(reason, 0));
    if (versions.every(({ labels }) => labels === 0))
      below.push(
        "No labels of judged grades yet. To label what a queue chooses: svc review next. To label one grade: svc graders label GRADE_ID passed|failed",
      );
    return [shown, ...below].join("\n\n");
  },
});
