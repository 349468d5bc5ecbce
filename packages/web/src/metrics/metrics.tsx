import { CHANNELS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartLine } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { agentVersionsQuery, marksOf } from "../agent-versions.ts";
import { CHANNEL_OPTIONS } from "../channel-words.ts";
import { rangeOf, READER_ZONE, rangeWords } from "../periods.ts";
import { oneOf } from "../search-params.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Switch } from "../ui/check.tsx";
import { Empty } from "../ui/empty.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { Failure } from "../ui/notice.tsx";
import type { PlotMark } from "../ui/plot-drawing.ts";
import { Skeleton } from "../ui/progress.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ANSWER_KINDS, answerKinds, answerRows } from "./answers.ts";
import { AnswersCard } from "./answers-card.tsx";
import { Emphasis, Legend } from "./legend.tsx";
import { type ConversationCounts, isByVersion, keyOf, type Line, LINES_MAX, searchOfLines } from "./lines.ts";
import { LinesTable } from "./lines-table.tsx";
import { MeasureCard } from "./measure-card.tsx";
import { conversationPlots, type Drawn, measurePlots, type MeasurePlot, timesOf } from "./measure-plots.ts";
import styles from "./metrics.module.css";
import { type PlotPage, PlotPageContext } from "./plot-page.ts";
import { RangeControl } from "./range-control.tsx";
import { SECTIONS, type SectionId } from "./sections.ts";
import { ToolsTable } from "./tools-table.tsx";
import { useMetrics } from "./use-metrics.ts";

const route = getRouteApi("/o/$organizationId/p/$project/metrics");

const NO_MARKS: readonly PlotMark[] = [];
const IN_ANSWERS: ReadonlySet<string> = new Set(Object.values(ANSWER_KINDS).map(({ measure }) => measure));

type Search = ReturnType<typeof route.useSearch>;

/** No plot mixes production with simulations. */
export function Metrics() {
  const place = usePlace();
  const search = route.useSearch();
  const { source = "production", agent, version, channel } = search;
  const navigate = route.useNavigate();
  const range = rangeOf(search);
  const { counts, tools, known, lines, drawn, error, askAgain } = useMetrics(place, search);
  const versions = useQuery(agentVersionsQuery(place, agent)).data?.agentVersions;
  const byVersion = isByVersion(search);
  const change = (changed: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const onLines = (chosen: readonly Line[]) => change(searchOfLines(chosen, byVersion));
  const page = useMemo((): PlotPage | undefined => {
    if (drawn === undefined) return undefined;
    const { metrics } = drawn;
    const shown = versions?.filter(({ agentName }) => lines.some((line) => line.agentName === agentName)) ?? [];
    return {
      source,
      version,
      channel,
      bucket: metrics.bucket,
      times: timesOf(metrics),
      detail: `${source === "production" ? "Production" : "Simulations"}, ${formatRange(metrics)}, ${READER_ZONE}`,
      marks: source === "production" ? marksOf(shown, Date.parse(metrics.from), Date.parse(metrics.to)) : NO_MARKS,
    };
  }, [drawn, versions, lines, source, version, channel]);

  return (
    <Page title="Metrics" actions={<RangeControl range={range} onChange={change} />}>
      <Filters>
        <Segmented
          label="Source"
          value={source}
          options={[
            { value: "production", label: "Production" },
            { value: "simulation", label: "Simulations" },
          ]}
          onChange={(value) =>
            change({ source: value, agent: undefined, version: undefined, chosen: undefined, lines: undefined })
          }
        />
        <Filter
          name="Channel"
          value={channel}
          options={CHANNEL_OPTIONS}
          onChange={(value) => change({ channel: oneOf(CHANNELS, value) })}
        />
        <Switch
          label={`Compare with the ${"period" in range ? rangeWords(range) : "days"} before`}
          checked={search.compare !== undefined}
          onChange={(isOn) => change({ compare: isOn ? "before" : undefined })}
        />
        {(versions ?? []).length > 0 && (
          <VersionControls search={search} versions={versions!.map((each) => each.version)} change={change} />
        )}
      </Filters>
      {error && <Failure error={error} again={askAgain} />}
      {!drawn && !error && known?.length !== 0 && <Skeleton rows={10} />}
      {known?.length === 0 && !error && (
        <Empty
          icon={ChartLine}
          title={`Nothing was measured in ${rangeWords(range)}`}
          action={
            <Link to="/o/$organizationId/p/$project/monitoring" params={place.params} className={buttonClass()}>
              Connect a worker or a platform
            </Link>
          }
        >
          <p>
            Measures appear when conversations arrive{channel === undefined ? "" : ` over the channel ${channel}`}. A
            longer period may have some.
          </p>
        </Empty>
      )}
      {known && known.length > 0 && counts && drawn && page && (
        <PlotPageContext value={page}>
          <Sections
            {...{ search, known, drawn, counts, change, onLines }}
            tools={tools && tools.series.length > 0 && <ToolsTable tools={tools} />}
          />
        </PlotPageContext>
      )}
    </Page>
  );
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const formatRange = ({ from, to }: { from: string; to: string }) => day.formatRange(new Date(from), Date.parse(to) - 1);

type ControlsProps = { search: Search; versions: readonly string[]; change: (changed: Partial<Search>) => void };

function VersionControls({ search, versions, change }: ControlsProps) {
  const { params } = usePlace();
  const { agent, version, lines } = search;
  return (
    <>
      {!isByVersion(search) && (
        <Filter
          name="Version"
          value={version}
          options={[...new Set(versions)].map((value) => ({ value, label: value }))}
          onChange={(value) => change({ version: value })}
        />
      )}
      {agent !== undefined && (
        <Segmented
          label="Lines"
          value={lines ?? "agents"}
          options={[
            { value: "agents", label: "By agent" },
            { value: "versions", label: "By version" },
          ]}
          onChange={(value) =>
            change({ lines: value === "versions" ? value : undefined, version: undefined, chosen: undefined })
          }
        />
      )}
      <Link
        to="/o/$organizationId/p/$project/metrics/versions"
        params={params}
        search={{ agent, period: search.period }}
        className={buttonClass("quiet")}
      >
        Compare versions
      </Link>
    </>
  );
}

type SectionsProps = {
  search: Search;
  /** All lines of the period. */
  known: readonly Line[];
  drawn: Drawn;
  counts: ConversationCounts;
  change: (changed: Partial<Search>) => void;
  onLines: (lines: readonly Line[]) => void;
  tools: ReactNode;
};

function Sections({ search, known, drawn, counts, change, onLines, tools }: SectionsProps) {
  const [label, set] = useState<string>();
  const emphasis = useMemo(() => ({ label, set }), [label]);
  const byVersion = isByVersion(search);
  const noun = byVersion ? "Version" : "Agent";
  const { lines, metrics, before } = drawn;
  const kinds = answerKinds(metrics, lines);
  const kind = search.answers && kinds.includes(search.answers) ? search.answers : kinds[0];
  const all = useMemo(
    () => answerRows({ metrics, before, kind: kind ?? "spoken" }, withDrawn(known, lines)),
    [metrics, before, kind, known, lines],
  );
  const sections = useMemo(() => {
    const plotsOf = (id: SectionId, measures: (typeof SECTIONS)[number]["measures"]): MeasurePlot[] => [
      ...(id === "errors" ? conversationPlots(counts, lines) : []),
      ...measurePlots(
        drawn,
        measures.filter((measure) => !IN_ANSWERS.has(measure)),
      ),
    ];
    return SECTIONS.map(({ id, title, measures }) => ({ id, title, plots: plotsOf(id, measures) }));
  }, [drawn, counts, lines]);
  const shown = sections.filter(
    ({ id, plots }) => plots.length > 0 || id === "answers" || (id === "tools" && Boolean(tools)),
  );
  // Newer browsers return a promise, which React would take for the effect's end.
  useEffect(() => {
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <Emphasis value={emphasis}>
      <div className={styles["nav"]}>
        <nav aria-label="Sections">
          {shown.map(({ id, title }) => (
            <Link key={id} to="." search={(same) => same} hash={id} replace>
              {title}
            </Link>
          ))}
        </nav>
        <Legend drawn={lines} onLines={onLines} />
        {known.length > LINES_MAX && (
          <Link to="." search={(same) => same} hash="answers" replace>
            Choose from {known.length} {noun.toLowerCase()}s
          </Link>
        )}
      </div>
      {shown.map(({ id, title, plots }) => (
        <section key={id} id={id} className={styles["section"]} aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{title}</h2>
          {id === "answers" && (
            <AnswersCard drawn={drawn} kind={kind ?? "spoken"} onKind={(answers) => change({ answers })}>
              <LinesTable
                noun={noun}
                rows={all}
                drawn={lines}
                onLines={onLines}
                find={search.find ?? ""}
                onFind={(find) => change({ find: find === "" ? undefined : find })}
                isWhole={search.rows === "all"}
                onWhole={() => change({ rows: "all" })}
                order={search.order}
                onOrder={(order) => change({ order })}
              />
            </AnswersCard>
          )}
          <div className={styles["plots"]}>
            {plots.map((plot) => (
              <MeasureCard key={plot.id} plot={plot} />
            ))}
          </div>
          {id === "tools" && tools}
        </section>
      ))}
      <p className={styles["note"]}>
        Each point is the median of {metrics.bucket === "day" ? `a day (${READER_ZONE})` : "an hour"}. A hollow point is
        the mean of fewer than five samples. Counts and shares are means. A dotted line is where a version of an agent
        was seen first.
      </p>
    </Emphasis>
  );
}

/** A chosen line without conversations in the period has a row too. */
const withDrawn = (known: readonly Line[], lines: readonly Line[]): Line[] => [
  ...new Map([...lines, ...known].map((line) => [keyOf(line), line])).values(),
];
