import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { agentVersionFlag, channelFlag, sourceFlag } from "../flags.ts";
import { metricRows } from "../traces/metric-rows.ts";

const DAY_MS = 86_400_000;

export default command({
  summary: "Show metrics over time for each agent",
  description:
    "Prints a line for each agent and measure. A percentile covers all samples of a bucket; ? means that the bucket has too few samples. The chart starts with the oldest bucket. A narrow terminal shows fewer columns, and --json has all.",
  examples: [
    "<%= config.bin %> metrics",
    "<%= config.bin %> metrics --measure response_latency,text_response_time --agent clinic --days 1",
    "<%= config.bin %> metrics --measure response_latency --agent Hotel --by-version",
  ],
  flags: {
    measure: Flags.string({
      description: "Names of measures, separated by commas. Default: all measures.",
      helpValue: "<names>",
    }),
    agent: Flags.string({ description: "Only this agent, by its exact name." }),
    "agent-version": agentVersionFlag(),
    channel: channelFlag(),
    "by-version": Flags.boolean({ description: "Print a line for each version of an agent." }),
    "by-channel": Flags.boolean({ description: "Print a line for each channel." }),
    source: sourceFlag(),
    days: Flags.integer({
      description: "Number of days up to now.",
      min: 1,
      max: 900,
      default: 7,
      helpValue: "<count>",
    }),
    bucket: Flags.option({
      options: ["hour", "day"] as const,
      description: "Width of a bucket. Default: hour for at most 14 days, else day.",
    })(),
  },
  async run({ startSession, flags }) {
    const { measure, agent, channel, source, days } = flags;
    const bucket = flags.bucket ?? (days <= 14 ? "hour" : "day");
    const from = new Date(Date.now() - days * DAY_MS).toISOString();
    const { client, projectId } = await startSession();
    const versions = { agentVersion: flags["agent-version"], byVersion: flags["by-version"] === true };
    const channels = { channel, byChannel: flags["by-channel"] === true };
    return client.metrics.get({ projectId, from, bucket, measure, agent, ...channels, ...versions, source });
  },
  show: (metrics) => metricRows(metrics, "No measures in this period. See the conversations with `svc traces list`."),
});
