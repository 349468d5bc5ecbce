import type { DayBar, SparkPoint } from "../../../packages/web/src/ui/small-plots.tsx";
import type { PlotPart, PlotPoint, PlotSeries } from "../../../packages/web/src/ui/plot-drawing.ts";

export const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 10, 15);

/** The times of eight days. */
export const TIMES = Array.from({ length: 8 }, (_, day) => FIRST + day * DAY_MS);

/** Reads a line of a chart from a text. A number is a value, `?` before it marks few samples, and `-` is a gap. */
const line = (label: string, text: string): PlotSeries => ({
  label,
  points: text
    .split(" ")
    .map((word): PlotPoint | null =>
      word === "-" ? null : { value: Number(word.replace("?", "")), isFew: word.startsWith("?") },
    ),
});

export const LATENCIES = [
  line("Front desk", "905 - 990 ?1000 - ?1070 - 1190"),
  line("Appointments", "980 - 1120 ?980 - - 895 935"),
  line("After hours", "?810 - 1085 - - 915 1140 895"),
  line("clinic", "555 560 552 556 558 554 - 555"),
];

export const ONE_AGENT: PlotSeries[] = [
  line("Median", "905 990 - ?240 -310 720 1070 1190"),
  { ...line("p95", "1400 1400 1400 1400 1400 1400 1400 1400"), look: "thin" },
  { ...line("Median before", "800 840 810 - 790 800 780 -"), color: 0, look: "before" },
];

export const PARTS: PlotPart[] = [
  { label: "End of utterance", token: "--phase-wait", values: [300, 320, null, 310, 300, 330, 320, 300] },
  { label: "Unexplained remainder", token: "--phase-rest", values: [-180, -90, null, -420, -500, 40, 60, 90] },
  { label: "Model", token: "--phase-model", values: [400, 420, null, 380, 410, 300, 440, 500] },
];

export const RATES = [
  line("Front desk", "- - 0.66 1 - 1 - 0.67"),
  line("Appointments", "1 - 0.33 - - - 0 0.55"),
  line("After hours", "0.5 - 0.2 - - 0.6 0.4 0.29"),
  line("clinic", "0.16 0 0 0 0.22 0.16 0 0.13"),
];

export const POINTS: SparkPoint[] = [
  { at: 0, value: 900 },
  { at: 1 / 6, value: 980 },
  { at: 3 / 6, value: 1_000, isFew: true },
  { at: 5 / 6, value: 1_120 },
  { at: 1, value: 1_190 },
];

export const BARS: DayBar[] = [
  { label: "15", total: 9, failed: 3 },
  { label: "16", total: 3, failed: 0 },
  { label: "17", total: 9, failed: 3 },
  { label: "18", total: 5, failed: 1 },
  { label: "19", total: 10, failed: 0 },
  { label: "20", total: 9, failed: 3 },
  { label: "21", total: 6, failed: 2 },
  { label: "today", total: 25, failed: 9 },
];
