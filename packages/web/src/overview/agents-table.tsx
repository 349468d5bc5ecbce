import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatMs, formatPercent } from "../ui/format.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { Sparkline } from "../ui/sparkline.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { type AgentRow, agentRows } from "./agent-rows.ts";
import styles from "./agents-table.module.css";
import { bucketOf, type Period, wordsOf } from "../periods.ts";
import { agentMeasuresQuery, toolUseQuery } from "./queries.ts";

/** Response times, interruptions and failing tools of each agent; percentiles of several agents are never mixed. */
export function AgentsTable({ period }: { period: Period }) {
  const place = usePlace();
  const measures = useQuery(agentMeasuresQuery(place, period));
  const tools = useQuery(toolUseQuery(place, period));
  const error = measures.error ?? tools.error;
  const rows = measures.data && tools.data ? agentRows(measures.data, tools.data.series) : [];
  if (measures.data && tools.data && rows.length === 0) return null;

  return (
    <Section
      title="Agents"
      note={`median of each ${bucketOf(period)}, ${wordsOf(period)}`}
      action={
        <Link to="/o/$organizationId/p/$project/metrics" params={place.params}>
          All measures
        </Link>
      }
    >
      {error && <Failure error={error} again={() => Promise.all([measures.refetch(), tools.refetch()])} />}
      {!error && rows.length === 0 && <Skeleton rows={4} />}
      {rows.length > 0 && (
        <Table
          label="Agents in production"
          columns={[
            { head: "Agent", width: "18%" },
            { head: "Time to answer" },
            { head: "Median", numeric: true },
            { head: "p95", numeric: true, wideOnly: true },
            { head: "Cut short", numeric: true, wideOnly: true },
            { head: "Tools fail", numeric: true, wideOnly: true },
          ]}
        >
          {rows.map((row) => (
            <Row key={row.agentName ?? ""} row={row} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Row({ row }: { row: AgentRow }) {
  const { params } = usePlace();
  return (
    <tr>
      <td className={tables["name"]}>
        <Link to="/o/$organizationId/p/$project/metrics" params={params} search={{ agent: row.agentName ?? undefined }}>
          {row.agentName === null ? "Without a name" : <UserText inline text={row.agentName} />}
        </Link>
      </td>
      <td className={styles["spark"]}>
        {row.points.length > 0 && (
          <Sparkline points={row.points} step={row.step} width={420} label="Median over time" />
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
