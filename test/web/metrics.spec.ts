import { MEASURE_NAMES } from "@svc/contract/constants";
import { describe, expect, test } from "vitest";
import { answerKinds, answerPlots, answerRows, onlyPlot } from "../../packages/web/src/metrics/answers.ts";
import { changeWords } from "../../packages/web/src/metrics/change-words.ts";
import { csvOf } from "../../packages/web/src/ui/csv.ts";
import {
  drawnLines,
  findLines,
  type Line,
  LINES_MAX,
  linesOf,
  readChosen,
  searchOfLines,
} from "../../packages/web/src/metrics/lines.ts";
import { conversationPlots, measurePlots } from "../../packages/web/src/metrics/measure-plots.ts";
import { listSearchOf, SECTIONS } from "../../packages/web/src/metrics/sections.ts";
import { formatMs } from "../../packages/web/src/ui/format.ts";

const HOUR_MS = 3_600_000;
const at = (hour: number) => new Date(hour * HOUR_MS).toISOString();
const agents = (count: number): Line[] => Array.from({ length: count }, (_, each) => ({ agentName: `agent-${each}` }));
type Pooled = { samples: number; p50: number | null; p90: number | null; p95: number | null; mean: number };
const pooled = (p50: number | null, more: Partial<Pooled> = {}): Pooled => ({
  samples: 30,
  p50,
  p90: null,
  p95: null,
  mean: 500,
  ...more,
});

/** Returns an answer with one series for each measure; `hours` are its buckets. */
const metrics = (
  values: Partial<Record<(typeof MEASURE_NAMES)[number], ReturnType<typeof pooled>>>,
  { agentName = "Desk" as string | null, hours = [0], from = 0, to = 3 } = {},
) => ({
  from: at(from),
  to: at(to),
  bucket: "hour" as const,
  zone: "UTC",
  series: Object.entries(values).map(([measure, period]) => ({
    agentName,
    source: "production" as const,
    measure: measure as "silence",
    unit: "ms" as const,
    period: {
      ...period,
      provenances: [],
    },
    buckets: hours.map((hour) => ({
      startedAt: at(from + hour),
      ...period,
    })),
  })),
});

describe("the lines of the page", () => {
  test("up to eight agents are drawn, of more the first five, and no line shares its colour", () => {
    expect(drawnLines(agents(8), {})).toHaveLength(8);
    expect(drawnLines(agents(20), {}).map(({ agentName }) => agentName)).toEqual(
      agents(5).map(({ agentName }) => agentName),
    );
  });

  test("the address holds one line, several, and one without a name", () => {
    for (const chosen of [agents(1), agents(3), [{ agentName: null }], [{ agentName: "a,b" }, { agentName: null }]])
      expect(drawnLines(agents(20), searchOfLines(chosen, false))).toEqual(chosen);
    expect(searchOfLines(agents(1), false)).toEqual({ agent: "agent-0", chosen: undefined });
    expect(searchOfLines([], false)).toEqual({ agent: undefined, chosen: undefined });
  });

  test("with versions as lines, the address chooses versions of the agent", () => {
    const chosen = [{ agentName: "Desk", agentVersion: "2" }];
    const search = { agent: "Desk", lines: "versions" as const, ...searchOfLines(chosen, true) };
    expect(search).toMatchObject({ agent: "Desk", version: "2" });
    expect(drawnLines([], search)).toEqual(chosen);
  });

  test.each(["", "no JSON", "{}", "[]", "[1]", '[""]', JSON.stringify(Array.from({ length: LINES_MAX + 1 }, String))])(
    "an address that chooses no lines is as one without a choice: %s",
    (text) => expect(readChosen(text)).toBeUndefined(),
  );

  test("a line is found by a part of its name", () => {
    expect(findLines(agents(20), " AGENT-19 ")).toEqual([{ agentName: "agent-19" }]);
    expect(findLines([{ agentName: null }], "without")).toHaveLength(1);
  });

  test("agents with as many conversations are in the order of their names, with numbers as numbers", () => {
    const series = ["a-10", "a-9"].map((agentName) => ({ agentName, conversations: 1 })) as never;
    expect(linesOf({ series }).map(({ agentName }) => agentName)).toEqual(["a-9", "a-10"]);
  });
});

describe("the sections", () => {
  test("every measure is in one section, and tools and errors are before the way of talking", () => {
    expect(SECTIONS.flatMap(({ measures }) => measures as readonly string[]).toSorted()).toEqual(
      [...MEASURE_NAMES].toSorted(),
    );
    expect(SECTIONS.map(({ id }) => id)).toEqual(["answers", "errors", "tools", "talking", "tokens"]);
  });

  test("a point of a latency opens the slowest conversations, one of errors those with errors", () => {
    expect(listSearchOf("response_latency")).toEqual({ sort: "-slowest" });
    expect(listSearchOf("tool_errors")).toEqual({ status: "error" });
    expect(listSearchOf("errors")).toEqual({ status: "error" });
    expect(listSearchOf("talk_ratio")).toEqual({});
  });
});

const DESK: Line[] = [{ agentName: "Desk" }];

describe("the plots", () => {
  test("a bucket without samples is a gap, and one with few is the mean", () => {
    const answer = metrics({ silence: pooled(null, { samples: 3, mean: -20 }) }, { hours: [1] });
    const [plot] = measurePlots({ lines: DESK, metrics: answer, before: undefined }, ["silence"]);
    expect(plot!.series[0]!.points).toEqual([null, { value: -20, isFew: true }, null]);
    expect(plot!.totals[0]).toMatchObject({ value: null, before: undefined });
  });

  test("a line keeps its colour in a plot where another line has no samples", () => {
    const lines = [{ agentName: "Other" }, ...DESK];
    const [plot] = measurePlots({ lines, metrics: metrics({ silence: pooled(1) }), before: undefined }, ["silence"]);
    expect(plot!.series.map(({ color }) => color)).toEqual([1]);
  });

  test("the value before is unknown, and not 0, when the period before has no samples", () => {
    const answer = metrics({ silence: pooled(100) });
    const plotOf = (before: ReturnType<typeof metrics>) =>
      measurePlots({ lines: DESK, metrics: answer, before }, ["silence"])[0]!.totals[0]!.before;
    expect(plotOf(metrics({}))).toBe("none");
    expect(plotOf(metrics({ silence: pooled(null, { samples: 3 }) }))).toBe("too few");
    expect(plotOf(metrics({ silence: pooled(80) }))).toBe(80);
    expect([changeWords(100, "none", formatMs), changeWords(100, "too few", formatMs)]).toEqual([
      "none before",
      "too few before",
    ]);
    expect(changeWords(100, undefined, formatMs)).toBe("");
    expect(changeWords(null, 80, formatMs)).toBe("");
    expect([80, 100, 100.2, 120].map((before) => changeWords(100, before, formatMs))).toEqual([
      "+20 ms",
      "same",
      "same",
      "−20 ms",
    ]);
  });

  test("the share of conversations with errors has a gap where there is no conversation", () => {
    const series = [
      {
        agentName: "Desk",
        source: "production",
        conversations: 4,
        errors: 1,
        buckets: [
          {
            startedAt: at(2),
            conversations: 4,
            errors: 1,
          },
        ],
      },
    ];
    const counts = { ...metrics({}), conversations: 4, errors: 1, series } as never;
    const [errors, all] = conversationPlots(counts, DESK);
    expect(errors!.series[0]!.points).toEqual([null, null, { value: 0.25, isFew: false }]);
    expect(all!.totals[0]!.value).toBe(4);
    expect(conversationPlots(counts, [{ agentName: "Other" }])).toEqual([]);
  });
});

describe("the time to answer", () => {
  test("the kind with the most samples of the drawn lines is the first, and one without samples is none", () => {
    const desk = metrics({ response_latency: pooled(1), text_response_time: pooled(1, { samples: 90 }) });
    const other = metrics({ heard_response_latency: pooled(1, { samples: 900 }) }, { agentName: "Other" });
    const answer = { ...desk, series: [...desk.series, ...other.series] };
    expect(answerKinds(answer, DESK)).toEqual(["typed", "spoken", "heard"]);
    expect(answerKinds(answer, [{ agentName: "Other" }])[0]).toBe("heard");
    expect(answerKinds(metrics({}), DESK)).toEqual([]);
  });

  test("a bucket of fewer than 20 answers is a gap in the line of p95; without any other, the line is the level of the period", () => {
    const answer = metrics({ response_latency: pooled(400, { p95: 900 }) }, { hours: [0, 2] });
    const { median, p95 } = answerPlots({ metrics: answer, before: undefined, kind: "spoken" }, DESK);
    expect(median[0]!.points[0]).toEqual({ value: 400, isFew: false });
    expect(p95[0]!.points).toEqual([{ value: 900, isFew: false }, null, { value: 900, isFew: false }]);
    for (const bucket of answer.series[0]!.buckets) bucket.p95 = null;
    const [level] = answerPlots({ metrics: answer, before: undefined, kind: "spoken" }, DESK).p95;
    expect([level!.look, level!.points.map((point) => point?.value)]).toEqual(["thin", [900, 900, 900]]);
    answer.series[0]!.period.p95 = null;
    const [none] = answerPlots({ metrics: answer, before: undefined, kind: "spoken" }, DESK).p95;
    expect(none!.points).toEqual([null, null, null]);
  });

  test("a plot with one line shows the parts of the time to answer, even negative ones, and the median of the period before", () => {
    const now = metrics({
      response_latency: pooled(400),
      unexplained_latency: pooled(0, { mean: -80 }),
      llm_time_to_first_token: pooled(0, { mean: 300 }),
    });
    const before = metrics({ response_latency: pooled(350) }, { from: -3, to: 0, hours: [2] });
    const { series, parts } = onlyPlot({ metrics: now, before, kind: "spoken" }, DESK[0]!);
    expect(parts.map(({ label, values }) => [label, values[0]])).toEqual([
      ["Unexplained remainder", -80],
      ["Model", 300],
    ]);
    expect(series.map(({ label }) => label)).toEqual(["Median", "p95, whole period", "Median before"]);
    expect(series[2]!.points).toEqual([null, null, { value: 350, isFew: false }]);
  });

  test("an agent without answers has a row without numbers, and typed answers have no parts", () => {
    const answer = metrics({ text_response_time: pooled(400), llm_time_to_first_token: pooled(1) });
    const rows = answerRows({ metrics: answer, before: undefined, kind: "typed" }, [...DESK, { agentName: "Other" }]);
    expect(rows.map(({ now, parts }) => [now?.p50, parts])).toEqual([
      [400, []],
      [undefined, []],
    ]);
  });
});

test("a CSV quotes what would break it, leaves unknown values empty, and holds no formula", () => {
  expect(
    csvOf([
      ["agent", "p95"],
      ['a "b", c', null],
      ["=1+1", -5],
      ["line\nbreak", 0],
    ]),
  ).toBe('agent,p95\r\n"a ""b"", c",\r\n\'=1+1,-5\r\n"line\nbreak",0\r\n');
});
