import { memo, useRef } from "react";
import { Provenance, type ProvenanceName } from "../ui/chip.tsx";
import { formatCount, UNKNOWN } from "../ui/format.ts";
import { UserText } from "../ui/user-text.tsx";
import { changeWords } from "./change-words.ts";
import { ExportMenu } from "./export-menu.tsx";
import { Swatch, useEmphasis } from "./legend.tsx";
import { keyOf, nameOfLine } from "./lines.ts";
import { Known } from "./lines-table.tsx";
import type { MeasurePlot } from "./measure-plots.ts";
import styles from "./metrics.module.css";
import { formatOf, PagePlot } from "./page-plot.tsx";
import { usePlotPage } from "./plot-page.ts";

/** A plot and the values of the whole period. The table is the legend of the plot. */
export const MeasureCard = memo(function MeasureCard({ plot }: { plot: MeasurePlot }) {
  const { detail, times } = usePlotPage();
  const emphasize = useEmphasis();
  const plots = useRef<HTMLDivElement>(null);
  const { id, label, meaning, statistic, hasPercentiles, lines, series, totals, rows } = plot;
  const format = formatOf(plot.unit);
  const summary = totals
    .map(({ line, value }) => `${nameOfLine(line)} ${value === null ? "too few samples" : format(value)}`)
    .join(", ");
  const hasBefore = totals.some(({ before }) => before !== undefined);
  return (
    <section className={styles["card"]}>
      <header>
        <h3>{label}</h3>
        <ExportMenu
          id={id}
          title={label}
          detail={`${statistic}. ${detail}`}
          fromMs={times[0] ?? 0}
          rows={rows}
          lines={totals.map(({ line, color }) => ({ label: nameOfLine(line), color }))}
          plots={plots}
        />
        <p className={styles["meaning"]}>{meaning}</p>
      </header>
      <div ref={plots}>
        <PagePlot id={id} label={`${label}: ${summary}`} series={series} format={format} lines={lines} />
      </div>
      <table className={styles["totals"]}>
        <thead>
          <tr>
            <th scope="col">Whole period</th>
            <th scope="col">{statistic}</th>
            {hasBefore && <th scope="col">Change</th>}
            {hasPercentiles && <th scope="col">p95</th>}
            <th scope="col">n</th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ line, color, value, p95, samples, provenances, before }) => (
            <tr key={keyOf(line)} {...emphasize(line)}>
              <td>
                <Swatch color={color} /> <UserText inline text={nameOfLine(line)} />{" "}
                {provenances.map((provenance) => (
                  <Provenance key={provenance} provenance={provenance as ProvenanceName} short />
                ))}
              </td>
              <td>
                {hasPercentiles ? (
                  <Known value={value} needs={5} format={format} />
                ) : value === null ? (
                  UNKNOWN
                ) : (
                  format(value)
                )}
              </td>
              {hasBefore && <td className={styles["few"]}>{changeWords(value, before, format)}</td>}
              {hasPercentiles && (
                <td>
                  <Known value={p95} needs={20} format={format} />
                </td>
              )}
              <td className={styles["few"]}>{formatCount(samples)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});
