import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartLine } from "lucide-react";
import { useMemo } from "react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { type Period, PERIOD_NAMES, READER_ZONE, wordsOf } from "../periods.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { MeasureCard } from "./measure-card.tsx";
import { AGENTS_SHOWN_MAX, agentsOf, measurePlots, nameOfAgent, timesOf } from "./measure-plots.ts";
import styles from "./metrics.module.css";
import { type MetricsFilter, metricsQuery, toolsQuery } from "./queries.ts";
import { Section } from "../ui/card.tsx";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/metrics");

/** Measures over time, one plot each, with a line for each agent. Production and simulations are never in one plot. */
export function Metrics() {
  const place = usePlace();
  const { period = "7d", source = "production", agent } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { period, source, agent };
  const { data, error, refetch } = useQuery(metricsQuery(place, filter));
  const all = useQuery(metricsQuery(place, { ...filter, agent: undefined }));
  const agents = useMemo(() => (data ? agentsOf(data) : []), [data]);
  const shown = useMemo(() => agents.slice(0, AGENTS_SHOWN_MAX), [agents]);
  const times = useMemo(() => (data ? timesOf(data) : []), [data]);
  const plots = useMemo(() => (data ? measurePlots(data, shown) : []), [data, shown]);
  const change = (search: { period?: Period; source?: typeof source; agent?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true });

  return (
    <Page
      title="Metrics"
      actions={
        <Segmented
          label="Period"
          value={period}
          options={PERIOD_NAMES.map((value) => ({ value, label: wordsOf(value) }))}
          onChange={(value) => change({ period: value })}
        />
      }
    >
      <div className={styles["top"]}>
        <Filters>
          <Segmented
            label="Source"
            value={source}
            options={[
              { value: "production", label: "Production" },
              { value: "simulation", label: "Simulations" },
            ]}
            onChange={(value) => change({ source: value, agent: undefined })}
          />
          <Filter
            name="Agent"
            value={agent}
            options={(all.data ? agentsOf(all.data) : []).flatMap((name) =>
              name === null ? [] : [{ value: name, label: name }],
            )}
            onChange={(value) => change({ agent: value })}
          />
        </Filters>
        {plots.length > 0 && (
          <p className={styles["note"]}>
            Each point is the median of {data!.bucket === "day" ? `a day (${READER_ZONE})` : "an hour"}. A hollow point
            is the mean of fewer than five samples. Counts and shares are means.
          </p>
        )}
      </div>
      {error && <Failure error={error} again={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {agents.length > shown.length && (
        <Notice>
          The {AGENTS_SHOWN_MAX} agents with the most samples are shown, of {agents.length}. Choose an agent to see
          another.
        </Notice>
      )}
      {data && plots.length === 0 && (
        <Empty
          icon={ChartLine}
          title={`Nothing was measured in ${wordsOf(period)}`}
          action={
            <Link to="/o/$organizationId/p/$project/monitoring" params={place.params} className={buttonClass()}>
              Connect a worker or a platform
            </Link>
          }
        >
          <p>Measures appear when conversations arrive{agent === undefined ? "" : ` from ${nameOfAgent(agent)}`}.</p>
        </Empty>
      )}
      <div className={styles["plots"]}>
        {plots.map((plot) => (
          <MeasureCard key={plot.measure} plot={plot} times={times} bucket={data!.bucket} source={source} />
        ))}
      </div>
      {data && plots.length > 0 && <ToolsTable filter={filter} />}
    </Page>
  );
}

/** The tools of each agent in the period, with the share of calls that failed of those for which it is known. */
function ToolsTable({ filter }: { filter: MetricsFilter }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(toolsQuery(place, filter));
  if (error) return <Failure error={error} again={refetch} />;
  if (!data || data.series.length === 0) return null;
  return (
    <Section title="Tools">
      <Table
        label="Tools of the period"
        columns={[
          { head: "Agent" },
          { head: "Tool" },
          { head: "Calls", numeric: true },
          { head: "Failed", numeric: true },
          { head: "Share", numeric: true, wideOnly: true },
          { head: "Not known", numeric: true, wideOnly: true },
        ]}
      >
        {data.series.map(({ agentName, tool, calls, errors, unknown }) => (
          <tr key={`${agentName} ${tool}`}>
            <td>
              <UserText inline text={nameOfAgent(agentName)} />
            </td>
            <td className={tables["name"]}>
              <Link
                to="/o/$organizationId/p/$project/conversations"
                params={place.params}
                search={{ agent: agentName ?? undefined, source: filter.source }}
              >
                <code>{tool ?? "without a name"}</code>
              </Link>
            </td>
            <td className={tables["num"]}>{formatCount(calls)}</td>
            <td className={tables["num"]}>{formatCount(errors)}</td>
            <td className={`${tables["num"]} ${tables["wideOnly"]}`}>
              {formatPercent(calls === unknown ? null : errors / (calls - unknown))}
            </td>
            <td className={`${tables["num"]} ${tables["wideOnly"]} ${tables["faint"]}`}>{formatCount(unknown)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
