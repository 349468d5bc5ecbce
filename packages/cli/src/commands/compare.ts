import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { usage } from "../refusal.ts";
import { instant } from "../terminal/times.ts";
import { versionComparisonText } from "../traces/version-comparison-text.ts";

export default command({
  summary: "Compare two versions of an agent in production",
  description:
    "Reports which measures and rates differ by more than chance explains, corrected for the number of comparisons: p50, p95 and mean of each measure, the shares of errors and failed tool calls, and the failures of each grader. Whole conversations are compared, because the turns of one conversation resemble each other. The versions talked with different callers at different times, so a difference does not prove its cause. To compare two runs of tests: svc runs compare.",
  examples: [
    "<%= config.bin %> compare --agent Hotel --version 41 --with 42",
    "<%= config.bin %> compare --agent Hotel --version 41 --with 42 --days 30 --json",
  ],
  flags: {
    agent: Flags.string({ description: "Exact name of the agent.", required: true }),
    version: Flags.string({
      description: "The earlier version, from `svc agents versions`.",
      required: true,
      helpValue: "<version>",
    }),
    with: Flags.string({
      description: "The version to compare with the earlier one.",
      required: true,
      helpValue: "<version>",
    }),
    days: Flags.integer({
      description: "Number of days up to now. Default: 7.",
      min: 1,
      max: 900,
      helpValue: "<count>",
    }),
    from: Flags.string({
      description: "In place of --days: start of the period, such as 30d ago or 2026-11-21T09:30:00Z.",
      helpValue: "<time>",
      exclusive: ["days"],
    }),
    to: Flags.string({ description: "End of the period. Default: now.", helpValue: "<time>" }),
    all: Flags.boolean({ description: "Print also the measures and rates that do not differ." }),
  },
  async run({ startSession, flags: { agent, version, with: other, days = 7, ...flags } }) {
    if (version === other) throw usage("--version and --with are the same. Name two different versions.");
    const to = flags.to === undefined ? new Date().toISOString() : instant(flags.to);
    const from = flags.from === undefined ? instant(`${days}d`, Date.parse(to)) : instant(flags.from);
    const { client, projectId } = await startSession();
    return (await client.agentVersions.compare({ projectId, agent, version, with: other, from, to })).comparison;
  },
  show: (comparison, { flags }) => versionComparisonText(comparison, flags.all === true),
});
