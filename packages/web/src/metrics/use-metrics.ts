import { type Channel, MEASURE_NAMES } from "@svc/contract/constants";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { queryBefore, rangeOf, rangeQuery, type RangeSearch } from "../periods.ts";
import type { ProjectPlace } from "../shell/place.ts";
import { ANSWER_MEASURES } from "./answers.ts";
import { drawnLines, isByVersion, type LineSearch, linesOf, type Metrics } from "./lines.ts";
import type { Drawn } from "./measure-plots.ts";
import { conversationCountsQuery, metricsQuery, type Selection, toolsQuery } from "./queries.ts";

export type MetricsSearch = LineSearch &
  RangeSearch & {
    source?: "production" | "simulation" | undefined;
    channel?: Channel | undefined;
    compare?: "before" | undefined;
  };

const OTHER_MEASURES = MEASURE_NAMES.filter((name) => !ANSWER_MEASURES.includes(name));

/** Requests the times to answer of all lines, and the other measures of the drawn ones. */
export function useMetrics(place: ProjectPlace, search: MetricsSearch) {
  const { source = "production", agent, version, channel, compare } = search;
  const byVersion = isByVersion(search);
  const query = rangeQuery(rangeOf(search));
  const earlier = compare === undefined ? undefined : queryBefore(query);
  const all: Selection = {
    source,
    agent: byVersion ? agent : undefined,
    agentVersion: byVersion ? undefined : version,
    channel,
    ...(byVersion && { byVersion }),
  };
  const counts = useQuery(conversationCountsQuery(place, query, all));
  const answers = useQuery(metricsQuery(place, query, all, ANSWER_MEASURES));
  const known = useMemo(
    () => (counts.data && answers.data ? linesOf(counts.data, answers.data) : undefined),
    [counts.data, answers.data],
  );
  const lines = useMemo(() => (known ? drawnLines(known, search) : []), [known, search]);
  const names = lines.flatMap(({ agentName }) => (agentName === null ? [] : [agentName]));
  // The API has no filter for conversations without an agent name.
  const own: Selection = { ...all, agent: names.length < lines.length ? all.agent : [...new Set(names)] };
  const asked = lines.length > 0;
  const others = useQuery(metricsQuery(place, asked ? query : undefined, own, OTHER_MEASURES));
  const tools = useQuery({ ...toolsQuery(place, query, own), enabled: asked });
  const answersBefore = useQuery(metricsQuery(place, earlier, all, ANSWER_MEASURES));
  const othersBefore = useQuery(metricsQuery(place, asked ? earlier : undefined, own, OTHER_MEASURES));
  const isCompared = earlier !== undefined && !answersBefore.isPlaceholderData && !othersBefore.isPlaceholderData;
  const drawn = useMemo((): Drawn | undefined => {
    if (!answers.data || !others.data) return undefined;
    const before = isCompared ? joined(answersBefore.data, othersBefore.data) : undefined;
    return { lines, metrics: joined(answers.data, others.data)!, before };
  }, [lines, answers.data, others.data, isCompared, answersBefore.data, othersBefore.data]);
  const asking: UseQueryResult[] = [counts, answers, others, tools, answersBefore, othersBefore];
  const failed = asking.filter(({ error }) => error !== null);
  return {
    counts: counts.data,
    tools: tools.data,
    known,
    lines,
    drawn,
    error: failed[0]?.error,
    askAgain: () => Promise.all(failed.map(({ refetch }) => refetch())),
  };
}

const joined = (one: Metrics | undefined, other: Metrics | undefined): Metrics | undefined =>
  one && other && { ...one, series: [...one.series, ...other.series] };
