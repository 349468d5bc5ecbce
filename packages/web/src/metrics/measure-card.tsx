import type { Channel } from "@svc/contract";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { usePlace } from "../shell/place.ts";
import { endOf, formatBucket } from "../periods.ts";
import { formatCount, formatMeasure } from "../ui/format.ts";
import { Plot } from "../ui/plot.tsx";
import type { PlotMark } from "../ui/plot-drawing.ts";
import { Provenance, type ProvenanceName } from "../ui/chip.tsx";
import type { MeasurePlot } from "./measure-plots.ts";
import styles from "./metrics.module.css";

type MeasureCardProps = {
  plot: MeasurePlot;
  times: readonly number[];
  bucket: "hour" | "day";
  source: "production" | "simulation";
  version: string | undefined;
  channel: Channel | undefined;
  /** Marks of the times at which versions were seen for the first time. */
  marks: readonly PlotMark[];
};

/** Units that the label of a measure already contains. */
const UNITS_IN_LABELS: ReadonlySet<string> = new Set(["tokens", "words/min"]);

export function MeasureCard({ plot, times, bucket, source, version, channel, marks }: MeasureCardProps) {
  const { params } = usePlace();
  const navigate = useNavigate();
  const { label, meaning, unit, series, totals, agents } = plot;
  const format = useCallback(
    (value: number) => {
      const text = formatMeasure(value, unit);
      return UNITS_IN_LABELS.has(unit) ? text.replace(` ${unit}`, "") : text;
    },
    [unit],
  );
  const formatTime = useCallback((atMs: number) => formatBucket(atMs, bucket), [bucket]);
  const onlyAgent = new Set(agents).size === 1 ? (agents[0] ?? undefined) : undefined;
  const onBucket = useCallback(
    (atMs: number) =>
      void navigate({
        to: "/o/$organizationId/p/$project/conversations",
        params,
        search: {
          source,
          agent: onlyAgent,
          version,
          channel,
          from: new Date(atMs).toISOString(),
          to: new Date(endOf(atMs, bucket)).toISOString(),
        },
      }),
    [navigate, params, source, onlyAgent, version, channel, bucket],
  );
  const summary = totals.map((total) => `${total.label} ${format(total.p50 ?? total.mean)}`).join(", ");
  return (
    <section className={styles["card"]}>
      <header>
        <h2>{label}</h2>
        <p className={styles["meaning"]}>{meaning}</p>
      </header>
      <Plot
        label={`${label}: ${summary}`}
        times={times}
        series={series}
        format={format}
        formatTime={formatTime}
        syncKey="metrics"
        marks={marks}
        onBucket={onBucket}
      />
      <table className={styles["totals"]}>
        <thead>
          <tr>
            <th scope="col">Whole period</th>
            <th scope="col">Median</th>
            <th scope="col">p95</th>
            <th scope="col">Mean</th>
            <th scope="col">n</th>
          </tr>
        </thead>
        <tbody>
          {totals.map((total) => (
            <tr key={total.label}>
              <td>
                <bdi>{total.label}</bdi>{" "}
                {total.provenances.map((provenance) => (
                  <Provenance key={provenance} provenance={provenance as ProvenanceName} short />
                ))}
              </td>
              <td>{total.p50 === null ? <Few /> : format(total.p50)}</td>
              <td>{total.p95 === null ? <Few /> : format(total.p95)}</td>
              <td>{format(total.mean)}</td>
              <td className={styles["few"]}>{formatCount(total.samples)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Few = () => (
  <span className={styles["few"]} title="A median needs 5 samples, a p95 needs 20">
    too few
  </span>
);
