import type { RunComparison } from "@svc/contract";
import { Check, Minus, X } from "lucide-react";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { formatCount, formatMs } from "../ui/format.ts";
import styles from "./compare.module.css";

/** A difference matters only if it is at least this share of the first median, and at least `MS_MIN` milliseconds. */
const SHARE_MIN = 0.05;

const MS_MIN = 50;
const percent = (share: number): string => `${share * 100}%`;

export function LatencyCard({ comparison }: { comparison: RunComparison }) {
  const { latency, latencySentence } = comparison;
  return (
    <Card
      title={
        <span className={styles["cardTitle"]}>
          Time to answer <Outcome comparison={comparison} />
        </span>
      }
    >
      {latency === null ? (
        <p className={styles["sentence"]}>{latencySentence}</p>
      ) : (
        <>
          <DifferenceRow latency={latency} />
          <p className={styles["sentence"]}>
            Median {formatMs(latency.firstMs)} before, {formatMs(latency.secondMs)} now. The true difference is likely
            between {signed(latency.lowMs)} and {signed(latency.highMs)} ms (99%, {formatCount(latency.pairs)} pairs),
            which {latency.lowMs <= 0 && latency.highMs >= 0 ? "holds" : "does not hold"} zero. The shaded zone is a
            difference too small to matter: {formatMs(tooSmallMs(latency.firstMs))}.
          </p>
        </>
      )}
    </Card>
  );
}

function Outcome({ comparison: { latency, latencyDiffers } }: { comparison: RunComparison }) {
  if (latency === null || !latencyDiffers)
    return (
      <Chip tone="not_graded" icon={Minus}>
        {latency === null ? "too few" : "not distinguishable"}
      </Chip>
    );
  const isSlower = latency.differenceMs > 0;
  return (
    <Chip tone={isSlower ? "failed" : "passed"} icon={isSlower ? X : Check}>
      {isSlower ? "slower" : "faster"}
    </Chip>
  );
}

function DifferenceRow({ latency }: { latency: NonNullable<RunComparison["latency"]> }) {
  const { ticks, shareOf } = differenceAxis(latency);
  const zone = tooSmallMs(latency.firstMs);
  const between = (low: number, high: number) => ({
    left: percent(shareOf(low)),
    width: percent(shareOf(high) - shareOf(low)),
  });
  const words = `Difference of the medians ${signed(latency.differenceMs)} ms, between ${signed(latency.lowMs)} and ${signed(latency.highMs)} ms`;
  return (
    <div className={styles["difference"]} role="img" aria-label={words}>
      <i className={styles["zone"]} style={between(-zone, zone)} />
      <i className={styles["zero"]} style={{ left: percent(shareOf(0)) }} />
      <i className={styles["span"]} style={between(latency.lowMs, latency.highMs)} />
      <i className={styles["point"]} style={{ left: percent(shareOf(latency.differenceMs)) }}>
        <b>{signed(latency.differenceMs)} ms</b>
      </i>
      {ticks.map((tick) => (
        <span key={tick} className={styles["tick"]} style={{ left: percent(shareOf(tick)) }}>
          {tick === 0 ? "0 ms" : signed(tick)}
        </span>
      ))}
      <span className={styles["faster"]}>faster</span>
      <span className={styles["slower"]}>slower</span>
    </div>
  );
}

type Difference = { firstMs: number; differenceMs: number; lowMs: number; highMs: number };

export const tooSmallMs = (firstMs: number): number => Math.max(MS_MIN, firstMs * SHARE_MIN);

/** The interval, and the range of differences that do not matter, fit into the axis. */
export function differenceAxis({ firstMs, differenceMs, lowMs, highMs }: Difference) {
  const widest = Math.max(Math.abs(lowMs), Math.abs(highMs), Math.abs(differenceMs), tooSmallMs(firstMs)) * 1.2;
  const step = stepOf(widest);
  const end = Math.ceil(widest / step) * step + step / 2;
  const count = Math.floor(end / step);
  const ticks = Array.from({ length: 2 * count + 1 }, (_, at) => (at - count) * step);
  return { end, ticks, shareOf: (ms: number) => (ms + end) / (2 * end) };
}

/** Two or three steps fit on each side of zero. */
function stepOf(widest: number): number {
  const rough = widest / 2.5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough)!;
}

export const signed = (ms: number): string => {
  const rounded = Math.round(ms);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
};
