import type { Answer, Operations } from "@svc/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { bucketOf, type Period, wordsOf } from "../periods.ts";
import { Section } from "../ui/card.tsx";
import { formatMs, formatPercent } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { scaleOf, Sparkline, type SparkPoint, type SparkScale } from "../ui/small-plots.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./agents-table.module.css";
import { agentMeasuresQuery, toolUseQuery } from "./queries.ts";

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };
/** More rows would hide what is below. The page of the metrics has a table of all agents. */
const SHOWN_MAX = 8;

/** The table never merges percentiles of several agents. */
export function AgentsTable({ period }: { period: Period }) {
  const place = usePlace();
  const measures = useQuery(agentMeasuresQuery(place, period));
  const tools = useQuery(toolUseQuery(place, period));
  const error = measures.error ?? tools.error;
  const rows = measures.data && tools.data ? agentRows(measures.data, tools.data.series) : [];
  const shown = rows.slice(0, SHOWN_MAX);
  const scale = scaleOf(shown.flatMap(({ points }) => points));
  if (measures.data && tools.data && rows.length === 0) return null;

  return (
    <Section
      title="Agents"
      note={`median of each ${bucketOf(period)}, ${wordsOf(period)}`}
      action={
        <Link to="/o/$organizationId/p/$project/metrics" params={place.params}>
          {rows.length > SHOWN_MAX ? `All ${rows.length} agents` : "All measures"}
        </Link>
      }
    >
      {error && <Failure error={error} again={() => Promise.all([measures.refetch(), tools.refetch()])} />}
      {!error && rows.length === 0 && <Skeleton rows={4} />}
      {rows.length > 0 && (
        <Table
          label="Agents in production"
          columns={[
            { head: "Agent" },
            { head: `Time to answer, ${scale.least < 0 ? formatMs(scale.least) : 0} to ${formatMs(scale.most)}` },
            { head: "Median", numeric: true },
            { head: "p95", numeric: true, wideOnly: true },
            { head: "Cut short", numeric: true, wideOnly: true },
            { head: "Tools fail", numeric: true, wideOnly: true },
          ]}
        >
          {shown.map((row) => (
            <Row key={row.agentName ?? ""} row={row} scale={scale} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Row({ row, scale }: { row: AgentRow; scale: SparkScale }) {
  const { params } = usePlace();
  return (
    <tr>
      <td className={`${tables["name"]} ${styles["agent"]}`}>
        <Link
          to="/o/$organizationId/p/$project/metrics"
          params={params}
          search={row.agentName === null ? { chosen: "[null]" } : { agent: row.agentName }}
        >
          {row.agentName === null ? "Without a name" : <UserText inline text={row.agentName} />}
        </Link>
      </td>
      <td className={styles["spark"]}>
        {row.points.length > 0 && (
          <Sparkline points={row.points} step={row.step} scale={scale} label="Median over time" />
        )}
      </td>
      <td className={tables["num"]}>
        {row.median === null ? <Few needs={5} samples={row.samples} /> : formatMs(row.median)}{" "}
        {row.samples > 0 && <span className={tables["faint"]}>n {row.samples}</span>}
      </td>
      <td className={`${tables["num"]} ${tables["wideOnly"]}`}>
        {row.p95 === null ? <Few needs={20} samples={row.samples} /> : formatMs(row.p95)}
      </td>
      <td className={`${tables["num"]} ${tables["wideOnly"]}`}>{formatPercent(row.cutShort)}</td>
      <td className={`${tables["num"]} ${tables["wideOnly"]}`}>
        <span className={row.toolsFail !== null && row.toolsFail > 0.3 ? styles["bad"] : undefined}>
          {formatPercent(row.toolsFail)}
        </span>
      </td>
    </tr>
  );
}

const Few = ({ needs, samples }: { needs: number; samples: number }) => (
  <span className={tables["faint"]} title={samples === 0 ? "Nothing was measured" : `It needs ${needs} answers`}>
    {samples === 0 ? "–" : "too few"}
  </span>
);

type Metrics = Pick<Answer<Operations["metrics"]["get"]>, "from" | "to" | "bucket" | "series">;

type Series = Metrics["series"][number];

type ToolSeries = Answer<Operations["metrics"]["tools"]>["series"][number];

type AgentRow = {
  agentName: string | null;
  /** Median of each bucket, or the mean if the bucket has too few samples for a median. */
  points: SparkPoint[];
  /** Width of a bucket as a share of the period. */
  step: number;
  samples: number;
  median: number | null;
  p95: number | null;
  /** Share of the agent's turns that the caller interrupted. */
  cutShort: number | null;
  /** Share of the tool calls that failed. Calls whose result is unknown are left out. */
  toolsFail: number | null;
};

/** The times of a row are from answers in calls or, for an agent without calls, from typed answers. */
export function agentRows({ from, to, bucket, series }: Metrics, tools: readonly ToolSeries[]): AgentRow[] {
  const fromMs = Date.parse(from);
  const spanMs = Math.max(Date.parse(to) - fromMs, 1);
  const names = new Set([...series, ...tools].map(({ agentName }) => agentName));
  const find = (agentName: string | null, measure: string) =>
    series.find((each) => each.agentName === agentName && each.measure === measure);

  return [...names]
    .map((agentName): AgentRow => {
      const answers = find(agentName, "response_latency") ?? find(agentName, "text_response_time");
      return {
        agentName,
        points: (answers?.buckets ?? []).map((each) => pointOf(each, fromMs, spanMs)),
        step: BUCKET_MS[bucket] / spanMs,
        samples: answers?.period.samples ?? 0,
        median: answers?.period.p50 ?? null,
        p95: answers?.period.p95 ?? null,
        cutShort: find(agentName, "user_interruptions")?.period.mean ?? null,
        toolsFail: failedShare(tools.filter((each) => each.agentName === agentName)),
      };
    })
    .toSorted((a, b) => b.samples - a.samples);
}

function pointOf({ startedAt, p50, mean }: Series["buckets"][number], fromMs: number, spanMs: number): SparkPoint {
  return { at: (Date.parse(startedAt) - fromMs) / spanMs, value: p50 ?? mean, isFew: p50 === null };
}

function failedShare(tools: readonly ToolSeries[]): number | null {
  const known = tools.reduce((sum, { calls, unknown }) => sum + calls - unknown, 0);
  return known === 0 ? null : tools.reduce((sum, { errors }) => sum + errors, 0) / known;
}
