import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { metricRows } from "../traces/metric-rows.ts";

const DAY_MS = 86_400_000;

export default command({
  description:
    "A line for each agent and measure. Percentiles pool the raw samples of a bucket; a ? stands where there are too few. The chart runs from the oldest bucket to the newest. A narrow terminal shows fewer columns; --json has all.",
  examples: [
    "<%= config.bin %> metrics",
    "<%= config.bin %> metrics --measure response_latency,tool_latency --agent clinic --days 1",
  ],
  flags: {
    measure: Flags.string({
      description: "Names of measures, separated by commas; default all.",
      helpValue: "<names>",
    }),
    agent: Flags.string({ description: "Exact name of the agent." }),
    source: Flags.option({ options: ["production", "simulation"] as const, description: "Only these." })(),
    days: Flags.integer({ description: "So many days back.", min: 1, max: 900, default: 7, helpValue: "<count>" }),
    bucket: Flags.option({
      options: ["hour", "day"] as const,
      description: "Width of a bucket; default hour up to 14 days, else day.",
    })(),
  },
  async run({ connect, flags }) {
    const { measure, agent, source, days } = flags;
    const bucket = flags.bucket ?? (days <= 14 ? "hour" : "day");
    const from = new Date(Date.now() - days * DAY_MS).toISOString();
    const { client, project: projectId } = await connect();
    return client.metrics.get({ projectId, from, bucket, measure, agent, source });
  },
  show: (metrics) =>
    metricRows(metrics, "Nothing was measured in this time. See the conversations with `svc traces list`."),
});
