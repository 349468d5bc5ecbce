import { Args, Flags } from "@oclif/core";
import { badWhenText, contentOfRule, watchedValueText, watchedWords } from "@svc/contract/constants";
import { readyFlag, ruleFlags, changesOf, wholeRuleOf } from "../../alerts/rule-flags.ts";
import { agentText, windowText } from "../../alerts/rule-text.ts";
import { ruleOf } from "../../alerts/stored-rule.ts";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";
import { counted, paint, table } from "../../terminal/output.ts";
import { moment } from "../../terminal/times.ts";
import { downsample, sparkline } from "../../traces/metric-rows.ts";

const CHART_COLUMNS = 42;

export default command({
  summary: "Show what an alert rule would have raised in the last days, and store nothing",
  description:
    "Takes a rule of the project, or the flags of `svc alert-rules create`. With both, the flags change the rule for this preview. The service judges with the same code later.",
  examples: [
    '<%= config.bin %> alert-rules preview "Hotel is slow"',
    '<%= config.bin %> alert-rules preview "Hotel is slow" --above 3s --days 7',
    "<%= config.bin %> alert-rules preview --measure response_latency --statistic p95 --above 2s --agent Hotel",
    "<%= config.bin %> alert-rules preview --ready failed-tools",
  ],
  args: {
    rule: Args.string({
      description: "Id or exact name of the rule, from `svc alert-rules list`.",
      ignoreStdin: true,
    }),
  },
  flags: {
    days: Flags.integer({
      description: "Number of days up to now. With short windows the preview covers fewer.",
      min: 1,
      max: 60,
      default: 30,
      helpValue: "<count>",
    }),
    ready: readyFlag(),
    ...ruleFlags(),
  },
  async run({ args, startSession, flags }) {
    if (args.rule !== undefined && flags.ready !== undefined)
      throw usage("Preview the rule or a ready one. Leave RULE or --ready out.");
    const typed = args.rule === undefined ? wholeRuleOf(flags, flags.ready, "Preview") : undefined;
    const session = await startSession();
    const stored = args.rule === undefined ? undefined : await ruleOf(session, args.rule);
    const rule = typed ?? contentOfRule({ ...stored!, ...changesOf(flags, stored) });
    const preview = await session.client.alertRules.preview({
      ...rule,
      days: flags.days,
      projectId: session.projectId,
    });
    return { rule, ...preview };
  },
  show({ rule, from, to, series }) {
    const { unit } = watchedWords(rule.watch);
    const text = (value: number | null) => (value === null ? "no data" : watchedValueText(value, unit));
    const numberOf = (windows: readonly { judged: string }[], judged: string) =>
      String(windows.filter((window) => window.judged === judged).length);
    const agents = table(
      series,
      [
        { title: "agent", cell: agentText, cut: true },
        { title: "windows", cell: ({ windows }) => String(windows.length), right: true },
        { title: "bad", cell: ({ windows }) => numberOf(windows, "bad"), right: true },
        { title: "too few", cell: ({ windows }) => numberOf(windows, "too_few"), right: true, spare: 1 },
        { title: "no data", cell: ({ windows }) => numberOf(windows, "no_data"), right: true, spare: 2 },
        { title: "alerts", cell: ({ alerts }) => String(alerts.length), right: true },
        {
          title: "values",
          cell({ windows }, room) {
            const values = downsample(
              windows.map(({ value }) => value),
              Math.min(room - 2, CHART_COLUMNS),
            );
            return `│${sparkline(values).replaceAll(" ", "·")}│`;
          },
        },
      ],
      `No conversations of ${rule.source === "simulation" ? "simulations" : "production"} in this time. See \`svc traces list\`.`,
    );
    const alerts = series.flatMap(({ agentName, alerts: all }) => all.map((alert) => ({ ...alert, agentName })));
    const raised = table(
      alerts.toSorted((one, other) => (one.raisedAt < other.raisedAt ? 1 : -1)),
      [
        { title: "raised", cell: ({ raisedAt }) => moment(raisedAt) },
        { title: "cleared", cell: ({ clearedAt }) => (clearedAt === null ? "still open" : moment(clearedAt)) },
        { title: "value", cell: ({ value }) => text(value), right: true },
        { title: "samples", cell: ({ samples }) => String(samples), right: true },
        { title: "agent", cell: agentText },
      ],
      "It would have raised no alert.",
    );
    const head = `${paint.bold(badWhenText(rule))} in windows of ${windowText(rule.windowMinutes)}, from ${moment(from)} to ${moment(to)}`;
    const count = alerts.length === 0 ? [] : [`It would have raised ${counted(alerts.length, "alert")}:`];
    return [head, agents, ...(series.length === 0 ? [] : [...count, raised])].join("\n\n");
  },
});
