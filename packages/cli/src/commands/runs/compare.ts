import type { RunComparison } from "@svc/contract";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { hang, paint, table } from "../../output.ts";

export default command({
  summary: "Compare two runs",
  description:
    "Pairs the simulations of both runs by test version, persona and iteration, and reports which differences are more than chance. Verdicts are compared by an exact McNemar test, and the median response latency by a bootstrap interval.",
  examples: ["<%= config.bin %> runs compare run_06ft2v8xk3n9q4w7r1y5z0abcd run_06ft2v9b1m2n3p4q5r6s7t8v9w"],
  args: {
    first: argument("Id of the earlier run, from `svc runs list`."),
    second: argument("Id of the later run, from `svc runs list`."),
  },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.runs.compare({ runId: args.first, with: args.second, projectId })).comparison;
  },
  show: comparisonText,
});

function comparisonText({ words, regressed, mended }: RunComparison): string {
  const flips = [
    ...regressed.map((flip) => ({ ...flip, change: "passed → failed" })),
    ...mended.map((flip) => ({ ...flip, change: "failed → passed" })),
  ];
  const list = table(
    flips,
    [
      { title: "change", cell: ({ change }) => change },
      { title: "first", cell: ({ firstSimulationId }) => firstSimulationId, spare: 1 },
      { title: "second", cell: ({ secondSimulationId }) => secondSimulationId },
      { title: "test", cell: ({ testName, personaName, iteration }) => `${testName} · ${personaName} · #${iteration}` },
    ],
    paint.dim("No simulation passed in one run and failed in the other."),
  );
  return [words.map((line) => hang(line, 0)).join("\n"), list].join("\n\n");
}
