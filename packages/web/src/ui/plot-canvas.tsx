import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import { optionsOf } from "./plot-options.ts";
import { PlotReadout } from "./plot-readout.tsx";
import type { PlotProps } from "./plot-types.ts";
import { useThemeChange } from "./use-theme-change.ts";

/** The canvas of a plot. It is drawn again when the data, the width or the theme change. ← and → move its crosshair. */
export default function PlotCanvas({ label, times, series, format, formatTime, syncKey, onBucket }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(null);
  const [at, setAt] = useState<number>();
  const theme = useThemeChange();

  useEffect(() => {
    const host = place.current!;
    const columns = series.flatMap(({ points }) => [
      points.map((point) => (point === null || point.isFew ? null : point.value)),
      points.map((point) => (point?.isFew ? point.value : null)),
    ]);
    const plot = new UPlot(
      optionsOf(host, { times, series, format, formatTime, syncKey, onCursor: setAt }),
      [times.map((time) => time / 1_000), ...columns],
      host,
    );
    drawn.current = plot;
    const resizing = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: plot.height }));
    resizing.observe(host);
    return () => {
      resizing.disconnect();
      plot.destroy();
    };
  }, [times, series, format, formatTime, syncKey, theme]);

  const open = () => {
    const time = at === undefined ? undefined : times[at];
    if (time !== undefined) onBucket?.(time);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter") open();
    if (step === undefined || times.length === 0) return;
    event.preventDefault();
    const next = Math.min(Math.max((at ?? (step > 0 ? -1 : times.length)) + step, 0), times.length - 1);
    const plot = drawn.current!;
    plot.setCursor({ left: plot.valToPos(times[next]! / 1_000, "x"), top: 0 });
  };

  return (
    <div role="group" aria-roledescription="plot" aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      <div ref={place} onClick={open} />
      {at !== undefined && times[at] !== undefined && (
        <PlotReadout
          name={formatTime(times[at])}
          isLeft={at * 2 >= times.length}
          series={series}
          index={at}
          format={format}
        />
      )}
    </div>
  );
}
