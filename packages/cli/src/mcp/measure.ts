import { MetricSeries, operations } from "@svc/contract";
import { z } from "zod";
import { projectPage } from "../runs/page.ts";
import { DATA_NOTE, firstThatFits, READS, said, tool } from "./tool.ts";

const { projectId: _1, bucket: _2, zone: _3, ...filters } = operations.metrics.get.query.shape;
const { buckets: _4, period, ...ofSeries } = MetricSeries.shape;
const Measured = z.strictObject({ ...ofSeries, ...period.shape });

const DAY_MS = 86_400_000;
/** Maximum number of days for which the tool requests hours. With hours, a longer period could exceed the service's limits. */
const DAYS_OF_HOURS = 14;

export const measure = tool({
  name: "measure",
  title: "Measure a period",
  description:
    "Returns measures of conversations in a period, such as response_latency, for each agent: median, p90, p95, mean, the number of samples and where they came from. Default: all measures of the last 7 days.",
  needs: "read",
  hints: READS,
  input: z.strictObject(filters),
  output: z.strictObject({
    note: z.string(),
    from: z.string(),
    to: z.string(),
    measures: z.array(Measured),
    moreMeasures: z.int().describe("Measures that are not shown: name an agent, or the measures."),
    page: z.string().nullable(),
  }),
  async run(input, { session }) {
    const { client, projectId } = session;
    const page = await projectPage(session, projectId, "/metrics");
    const days = input.from === undefined ? 0 : (Date.now() - Date.parse(input.from)) / DAY_MS;
    const bucket = days > DAYS_OF_HOURS ? "day" : "hour";
    const { from, to, series } = await client.metrics.get({ ...input, projectId, bucket });
    return firstThatFits(
      [40, 20, 10, 5].map((most) => () => ({
        value: {
          note: DATA_NOTE,
          from,
          to,
          measures: series.slice(0, most).map(({ buckets: _buckets, period: of, agentName, agentVersion, ...one }) => ({
            agentName: agentName && said(agentName, 80),
            ...(agentVersion !== undefined && { agentVersion: agentVersion && said(agentVersion, 40) }),
            ...one,
            ...of,
          })),
          moreMeasures: Math.max(0, series.length - most),
          page,
        },
        text: series.length === 0 ? "No measures in this period." : `${series.length} measures.`,
      })),
    );
  },
});
