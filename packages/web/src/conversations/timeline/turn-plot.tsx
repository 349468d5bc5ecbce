import type { Axis } from "./axis.ts";
import { waitInterval } from "./answers.ts";
import { Bars, onAxis } from "./bars.tsx";
import type { TimelineModel, TurnRow } from "./model.ts";
import type { Bar } from "./turn-bars.ts";
import styles from "./timeline.module.css";

const TOP = { bracket: 4, caller: 9, wait: 13, calls: 14, voice: 26, typedCalls: 30 };

/** The bars of one turn on the axis. */
export function TurnPlot({ row, model, axis }: { row: TurnRow; model: TimelineModel; axis: Axis }) {
  if (axis === "answer") return <AnswerPlot row={row} model={model} />;
  const { turn, answer, bands, voice, calls } = row;
  const isAgent = turn.role === "agent";
  const top = model.isPlain || !isAgent ? TOP.caller : TOP.voice;
  return (
    <div data-plot className={styles["plot"]}>
      {bands.map((band) => (
        <span key={band.fromMs} className={styles["band"]} style={onAxis(band)} title="Both speak" />
      ))}
      <Bars bars={voice} top={top} />
      <Bars bars={calls} top={isAgent ? (model.isPlain ? TOP.typedCalls : TOP.calls) : TOP.wait} thin />
      {answer !== null && !model.isPlain && answer.heardMs > answer.zeroMs && (
        <span
          className={styles["bracket"]}
          style={onAxis({ fromMs: answer.zeroMs, untilMs: answer.heardMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}

/** The bars of an answer from the caller's last word, which is 0. Other turns have an empty row. */
function AnswerPlot({ row, model }: { row: TurnRow; model: TimelineModel }) {
  const { answer } = row;
  if (answer === null)
    return (
      <div data-plot className={styles["plot"]}>
        <span className={styles["zero"]} />
      </div>
    );
  const { zeroMs, heardMs } = answer;
  const wait = waitInterval(answer);
  const waits: Bar[] = wait === null ? [] : [{ ...wait, kind: "wait", label: "Waiting for the turn’s end" }];
  const asked = answer.question === null ? undefined : model.turnRows[answer.question];
  const question = asked?.voice.filter(({ fromMs }) => fromMs < zeroMs) ?? [];
  const shown = question.map((bar) => ({ ...bar, untilMs: Math.min(bar.untilMs, zeroMs) }));
  return (
    <div data-plot className={styles["plot"]}>
      <span className={styles["zero"]} />
      <Bars bars={shown} top={TOP.voice} zeroMs={zeroMs} />
      <Bars bars={[...waits, ...row.calls]} top={TOP.calls} zeroMs={zeroMs} thin />
      <Bars bars={row.voice} top={TOP.voice} zeroMs={zeroMs} />
      {heardMs > zeroMs && (
        <span
          className={styles["bracket"]}
          style={onAxis({ fromMs: 0, untilMs: heardMs - zeroMs }, { top: TOP.bracket })}
        />
      )}
    </div>
  );
}
