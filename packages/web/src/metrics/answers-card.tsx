import { MEASURES } from "@svc/contract/constants";
import { type ReactNode, useMemo, useRef } from "react";
import { formatMs } from "../ui/format.ts";
import type { PlotSeries } from "../ui/plot-drawing.ts";
import { Segmented } from "../ui/segmented.tsx";
import {
  ANSWER_KIND_NAMES,
  ANSWER_KINDS,
  type AnswerKind,
  answerKinds,
  answerPlots,
  onlyPlot,
  PART_WORDS,
} from "./answers.ts";
import { ExportMenu } from "./export-menu.tsx";
import { type Line, nameOfLine } from "./lines.ts";
import { type Drawn, findSeries, measurePlots } from "./measure-plots.ts";
import styles from "./metrics.module.css";
import { PagePlot } from "./page-plot.tsx";
import { usePlotPage } from "./plot-page.ts";

const HEIGHT_PX = 240;

type AnswersCardProps = {
  drawn: Drawn;
  kind: AnswerKind;
  onKind: (kind: AnswerKind) => void;
  /** The table of all lines. */
  children: ReactNode;
};

/** The time to answer: for one line with its parts, for several as a plot of medians and one of the 95th percentiles. */
export function AnswersCard({ drawn, kind, onKind, children }: AnswersCardProps) {
  const { detail, times, bucket } = usePlotPage();
  const plots = useRef<HTMLDivElement>(null);
  const { lines, metrics, before } = drawn;
  const { measure } = ANSWER_KINDS[kind];
  const kinds = answerKinds(metrics, lines);
  const found = lines.filter((line) => findSeries(metrics, measure, line) !== undefined);
  const [only] = lines.length === 1 ? lines : [];
  const several = useMemo(() => answerPlots({ metrics, before, kind }, lines), [metrics, before, kind, lines]);
  const alone = useMemo(() => only && onlyPlot({ metrics, before, kind }, only), [metrics, before, kind, only]);
  const [whole] = useMemo(() => measurePlots(drawn, [measure]), [drawn, measure]);
  const hasP95 = several.p95.some(hasPoints);
  const plot = { id: measure, format: formatMs, heightPx: HEIGHT_PX };
  return (
    <section className={`${styles["card"]} ${styles["answers"]}`}>
      <header>
        <h3>Time to answer</h3>
        {kinds.length > 1 && (
          <Segmented
            label="Answers"
            value={kind}
            options={ANSWER_KIND_NAMES.filter((name) => kinds.includes(name)).map((value) => ({
              value,
              label: ANSWER_KINDS[value].words,
            }))}
            onChange={onKind}
          />
        )}
        {whole && (
          <ExportMenu
            id={measure}
            title="Time to answer"
            detail={alone ? detail : `Median, then p95. ${detail}`}
            fromMs={times[0] ?? 0}
            rows={whole.rows}
            lines={
              alone
                ? [
                    ...alone.series.map(({ label, color = 0 }) => ({ label: `${nameOfLine(only!)}, ${label}`, color })),
                    ...alone.parts.map(({ label, token }) => ({ label: `${label}, mean`, token })),
                  ]
                : whole.totals.map(({ line, color }) => ({ label: nameOfLine(line), color }))
            }
            plots={plots}
          />
        )}
        <p className={styles["meaning"]}>{MEASURES[measure].meaning}</p>
      </header>
      {whole === undefined ? (
        <p className={styles["note"]}>The drawn lines have no answers of this kind in this period.</p>
      ) : alone ? (
        <div ref={plots}>
          <PagePlot
            {...plot}
            label={`Time to answer of ${nameOfLine(only!)}, median and p95`}
            series={alone.series}
            parts={alone.parts}
            lines={lines}
          />
          <ul className={styles["legend"]} aria-label="Lines and parts of the plot">
            {alone.series.filter(hasPoints).map(({ label, color = 0, look }) => (
              <li key={label}>
                <i style={{ background: `var(--series-${color + 1})`, opacity: look === "before" ? 0.5 : 1 }} />
                {label}
              </li>
            ))}
            <PartNames labels={alone.parts.map(({ label }) => label)} />
          </ul>
        </div>
      ) : (
        <div ref={plots}>
          <div className={styles["pair"]}>
            <Statistic name="Median" series={several.median} lines={found} plot={plot} />
            {hasP95 && <Statistic name="p95" series={several.p95} lines={found} plot={plot} />}
          </div>
          {several.p95.some(({ look }) => look === "thin") && (
            <p className={styles["meaning"]}>
              A p95 needs 20 answers. A thin level line is the p95 of the whole period, where no {bucket} has so many.
            </p>
          )}
        </div>
      )}
      <div>
        {children}
        {metrics.series.some((series) => series.measure === "end_of_utterance_delay") &&
          kind === "spoken" &&
          !alone && (
            <ul className={styles["legend"]} aria-label="Parts of an answer">
              <PartNames labels={PART_WORDS.map(({ label }) => label)} />
            </ul>
          )}
      </div>
    </section>
  );
}

type StatisticProps = {
  name: string;
  series: readonly PlotSeries[];
  lines: readonly Line[];
  plot: { id: string; format: (value: number) => string; heightPx: number };
};

const Statistic = ({ name, series, lines, plot }: StatisticProps) => (
  <div>
    <h4>{name}</h4>
    <PagePlot
      {...plot}
      label={`Time to answer, ${name}, of ${lines.map(nameOfLine).join(", ")}`}
      series={series}
      lines={lines}
    />
  </div>
);

const hasPoints = ({ points }: PlotSeries): boolean => points.some((point) => point !== null);

/** Names of the parts, with their colours. Parts are means, because only means add up. */
const PartNames = ({ labels }: { labels: readonly string[] }) =>
  PART_WORDS.filter(({ label }) => labels.includes(label)).map(({ label, token, meaning }) => (
    <li key={label} title={meaning}>
      <i style={{ background: `var(${token})` }} />
      {label}, mean
    </li>
  ));
