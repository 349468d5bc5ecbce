import { CHANNELS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartLine } from "lucide-react";
import { useMemo } from "react";
import { agentVersionsQuery, marksOf } from "../agent-versions.ts";
import { CHANNEL_OPTIONS } from "../channel-words.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { PERIOD_NAMES, READER_ZONE, wordsOf } from "../periods.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { MeasureCard } from "./measure-card.tsx";
import { agentsOf, LINES_SHOWN_MAX, linesOf, measurePlots, nameOfAgent, nameOfLine, timesOf } from "./measure-plots.ts";
import styles from "./metrics.module.css";
import { type MetricsFilter, metricsQuery, toolsQuery } from "./queries.ts";
import { Section } from "../ui/card.tsx";
import { formatCount, formatPercent } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import type { PlotMark } from "../ui/plot-drawing.ts";

const route = getRouteApi("/o/$organizationId/p/$project/metrics");

const LINES = [
  { value: "agents", label: "By agent" },
  { value: "versions", label: "By version" },
  { value: "channels", label: "By channel" },
] as const;

const NO_MARKS: readonly PlotMark[] = [];

/** No plot mixes production with simulations. */
export function Metrics() {
  const place = usePlace();
  const { period = "7d", source = "production", agent, version, channel, lines: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const split = { byVersion: wanted === "versions", byChannel: wanted === "channels" };
  const filter = { period, source, agent, version, channel, ...split };
  const { data, error, refetch } = useQuery(metricsQuery(place, filter));
  const all = useQuery(
    metricsQuery(place, { ...filter, agent: undefined, version: undefined, byVersion: false, byChannel: false }),
  );
  const versions = useQuery(agentVersionsQuery(place, agent));
  const lines = useMemo(() => (data ? linesOf(data) : []), [data]);
  const shown = useMemo(() => lines.slice(0, LINES_SHOWN_MAX), [lines]);
  const times = useMemo(() => (data ? timesOf(data) : []), [data]);
  const plots = useMemo(() => (data ? measurePlots(data, shown) : []), [data, shown]);
  const known = versions.data?.agentVersions;
  const hasVersions = version !== undefined || (known ?? []).length > 0;
  const marks = useMemo(
    () =>
      data && known && source === "production"
        ? marksOf(
            known.filter(({ agentName }) => shown.some((line) => line.agentName === agentName)),
            Date.parse(data.from),
            Date.parse(data.to),
          )
        : NO_MARKS,
    [data, known, shown, source],
  );
  const change = (search: Partial<ReturnType<typeof route.useSearch>>) =>
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
            onChange={(value) => change({ source: value, agent: undefined, version: undefined })}
          />
          <Filter
            name="Agent"
            value={agent}
            options={(all.data ? agentsOf(all.data) : []).flatMap((name) =>
              name === null ? [] : [{ value: name, label: name }],
            )}
            onChange={(value) => change({ agent: value, version: undefined })}
          />
          <Filter
            name="Channel"
            value={channel}
            options={CHANNEL_OPTIONS}
            onChange={(value) => change({ channel: CHANNELS.find((each) => each === value) })}
          />
          {hasVersions && (
            <Filter
              name="Version"
              value={version}
              options={[...new Set((known ?? []).map((each) => each.version))].map((value) => ({
                value,
                label: value,
              }))}
              onChange={(value) => change({ version: value })}
            />
          )}
          <Segmented
            label="Lines"
            value={wanted ?? "agents"}
            options={LINES.filter(({ value }) => value !== "versions" || value === wanted || hasVersions)}
            onChange={(value) => change({ lines: value === "agents" ? undefined : value })}
          />
          {hasVersions && (
            <Link
              to="/o/$organizationId/p/$project/metrics/versions"
              params={place.params}
              search={{ agent, period }}
              className={buttonClass("quiet")}
            >
              Compare versions
            </Link>
          )}
        </Filters>
        {plots.length > 0 && (
          <p className={styles["note"]}>
            Each point is the median of {data!.bucket === "day" ? `a day (${READER_ZONE})` : "an hour"}. A hollow point
            is the mean of fewer than five samples. Counts and shares are means.
            {marks.length > 0 && " A dotted line is where a version of an agent was seen first."}
          </p>
        )}
      </div>
      {error && <Failure error={error} again={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {lines.length > shown.length && (
        <Notice>
          The {LINES_SHOWN_MAX} {wanted ?? "agents"} with the most samples are shown, of {lines.length}. Choose{" "}
          {filter.byVersion ? "an agent or a version" : "an agent"} to see another.
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
          <p>
            Measures appear when conversations arrive{agent === undefined ? "" : ` from ${nameOfAgent(agent)}`}
            {channel === undefined ? "" : ` over the channel ${channel}`}.
          </p>
        </Empty>
      )}
      <div className={styles["plots"]}>
        {plots.map((plot) => (
          <MeasureCard
            key={plot.measure}
            plot={plot}
            times={times}
            bucket={data!.bucket}
            source={source}
            version={version}
            channel={channel}
            marks={marks}
          />
        ))}
      </div>
      {data && plots.length > 0 && <ToolsTable filter={filter} />}
    </Page>
  );
}

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
        {data.series.map(({ agentName, agentVersion, channel, tool, calls, errors, unknown }) => (
          <tr key={JSON.stringify([agentName, agentVersion, channel, tool])}>
            <td>
              <UserText inline text={nameOfLine({ agentName, agentVersion, channel }, 2)} />
            </td>
            <td className={tables["name"]}>
              <Link
                to="/o/$organizationId/p/$project/conversations"
                params={place.params}
                search={{
                  agent: agentName ?? undefined,
                  version: agentVersion ?? filter.version,
                  channel: channel ?? filter.channel,
                  source: filter.source,
                }}
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
