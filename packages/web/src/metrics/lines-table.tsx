import { type FormEvent, type KeyboardEvent } from "react";
import { columnsOf } from "../ui/plot-drawing.ts";
import { Button } from "../ui/button.tsx";
import { SearchField } from "../ui/field.tsx";
import { formatCount, formatMs, UNKNOWN } from "../ui/format.ts";
import { UserText } from "../ui/user-text.tsx";
import type { AnswerRow } from "./answers.ts";
import { changeWords } from "./change-words.ts";
import { Swatch, useEmphasis } from "./legend.tsx";
import { findLines, keyOf, type Line, LINES_MAX, nameOfLine } from "./lines.ts";
import styles from "./metrics.module.css";

/** Number of rows above which the table has a search, and a button for the rest. */
const ROWS_FIRST = 8;

type AnswerOrder = "median" | "p95";

type LinesTableProps = {
  /** `Agent` or `Version`. */
  noun: string;
  rows: readonly AnswerRow[];
  drawn: readonly Line[];
  onLines: (lines: readonly Line[]) => void;
  find: string;
  onFind: (text: string) => void;
  isWhole: boolean;
  onWhole: () => void;
  /** The slowest by this statistic come first. By default the drawn lines do. */
  order: AnswerOrder | undefined;
  onOrder: (order: AnswerOrder | undefined) => void;
};

/** All lines with their time to answer. A checkbox draws a line, and a search finds it. */
export function LinesTable(props: LinesTableProps) {
  const { noun, rows, drawn, onLines, find, onFind, isWhole, onWhole, order, onOrder } = props;
  const emphasize = useEmphasis();
  const lines = rows.map(({ line }) => line);
  const keys = drawn.map(keyOf);
  const colorOf = (line: Line) => keys.indexOf(keyOf(line));
  const found = new Set(findLines(lines, find).map(keyOf));
  const matching = ordered(rows, order).filter(({ line }) => found.has(keyOf(line)));
  const shown = isWhole ? matching : matching.slice(0, ROWS_FIRST);
  const scale = scaleOf(rows);
  const hasParts = rows.some(({ parts }) => parts.length > 0);
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const toggle = (line: Line) =>
    onLines(colorOf(line) === -1 ? [...drawn, line] : drawn.filter((each) => keyOf(each) !== keyOf(line)));
  const onSearch = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const [first] = findLines(lines, event.currentTarget.querySelector("input")!.value);
    if (first) onLines([first]);
  };
  return (
    <div className={styles["lines"]}>
      <div className={styles["linesHead"]}>
        <p>
          <b>{drawn.length}</b> of {rows.length} {noun.toLowerCase()}
          {rows.length === 1 ? "" : "s"} drawn
        </p>
        {rows.length > ROWS_FIRST && (
          <form onSubmit={onSearch}>
            <SearchField
              label={`Find ${noun.toLowerCase()}; Return shows it alone`}
              placeholder={`Find ${noun.toLowerCase()}`}
              value={find}
              onChange={onFind}
            />
          </form>
        )}
      </div>
      <table className={styles["totals"]} onKeyDown={moveInColumn}>
        <thead>
          <tr>
            <th scope="col">{noun}</th>
            {hasParts && (
              <th scope="col" className={styles["parts"]}>
                Parts, {scale.least < 0 ? formatMs(scale.least) : 0} to {formatMs(scale.most)}
              </th>
            )}
            <Sorted statistic="median" order={order} onOrder={onOrder}>
              Median
            </Sorted>
            {hasBefore && (
              <th scope="col" className={styles["change"]}>
                Change
              </th>
            )}
            <Sorted statistic="p95" order={order} onOrder={onOrder}>
              p95
            </Sorted>
            {hasBefore && (
              <th scope="col" className={styles["wide"]}>
                Change
              </th>
            )}
            <th scope="col" className={styles["wide"]}>
              n
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, now, before, parts }) => {
            const color = colorOf(line);
            const isDrawn = color !== -1;
            const isAlone = isDrawn && drawn.length === 1;
            return (
              <tr key={keyOf(line)} {...(isDrawn && emphasize(line))} data-drawn={isDrawn}>
                <td>
                  <label className={styles["line"]}>
                    <input
                      type="checkbox"
                      checked={isDrawn}
                      disabled={!isDrawn && drawn.length >= LINES_MAX}
                      title={!isDrawn && drawn.length >= LINES_MAX ? `At most ${LINES_MAX} at once` : undefined}
                      onChange={() => toggle(line)}
                    />
                    {isDrawn ? <Swatch color={color} /> : <span className={styles["swatch"]} />}
                    <UserText inline text={nameOfLine(line)} />
                  </label>
                </td>
                {hasParts && (
                  <td className={styles["parts"]}>
                    <PartsBar row={{ line, now, before, parts }} scale={scale} />
                  </td>
                )}
                <td>{now ? <Known value={now.p50} needs={5} /> : UNKNOWN}</td>
                {hasBefore && (
                  <td className={`${styles["few"]} ${styles["change"]}`}>
                    {changeWords(now?.p50, before?.p50, formatMs)}
                  </td>
                )}
                <td>{now ? <Known value={now.p95} needs={20} /> : UNKNOWN}</td>
                {hasBefore && (
                  <td className={`${styles["few"]} ${styles["wide"]}`}>
                    {changeWords(now?.p95, before?.p95, formatMs)}
                  </td>
                )}
                <td className={`${styles["few"]} ${styles["wide"]}`}>{formatCount(now?.samples ?? 0)}</td>
                <td>
                  {rows.length > 1 && (
                    <Button
                      look="quiet"
                      small
                      aria-label={isAlone ? "All" : `Alone: ${nameOfLine(line)}`}
                      onClick={() => onLines(isAlone ? [] : [line])}
                    >
                      {isAlone ? "All" : "Alone"}
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {matching.length === 0 && <p className={styles["note"]}>No {noun.toLowerCase()} has this name.</p>}
      {matching.length > shown.length && (
        <Button small onClick={onWhole}>
          Show all {matching.length}
        </Button>
      )}
    </div>
  );
}

/** A line whose statistic is unknown is last. */
function ordered(rows: readonly AnswerRow[], order: AnswerOrder | undefined): readonly AnswerRow[] {
  if (order === undefined) return rows;
  const valueOf = ({ now }: AnswerRow) => (order === "median" ? now?.p50 : now?.p95) ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((one, other) => valueOf(other) - valueOf(one));
}

type SortedProps = Pick<LinesTableProps, "order" | "onOrder"> & { statistic: AnswerOrder; children: string };

const Sorted = ({ statistic, order, onOrder, children }: SortedProps) => (
  <th scope="col" aria-sort={order === statistic ? "descending" : "none"}>
    <button
      type="button"
      className={styles["sort"]}
      title="Slowest first"
      onClick={() => onOrder(order === statistic ? undefined : statistic)}
    >
      {children}
      {order === statistic && " ↓"}
    </button>
  </th>
);

/** ↑ and ↓ go to the same control of the row above or below. */
function moveInColumn(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" } as const;
  const side = step[event.key as keyof typeof step];
  if (side === undefined || !(event.target instanceof HTMLElement)) return;
  const next = event.target.closest("tr")?.[side]?.querySelector<HTMLElement>(event.target.localName);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export const Known = ({
  value,
  needs,
  format = formatMs,
}: {
  value: number | null;
  needs: number;
  format?: (value: number) => string;
}) =>
  value === null ? (
    <span className={styles["few"]} title={`It needs ${needs} samples`}>
      too few
    </span>
  ) : (
    format(value)
  );

type Scale = { least: number; most: number };

function scaleOf(rows: readonly AnswerRow[]): Scale {
  const ends = rows.flatMap(({ parts }) => columnsOf(parts, 1)[0]!.map(({ to }) => to));
  return { least: Math.min(0, ...ends), most: Math.max(0, ...ends) };
}

/** Means of the parts of an answer on one scale for all rows. Negative parts are left of zero. */
function PartsBar({ row: { parts }, scale: { least, most } }: { row: AnswerRow; scale: Scale }) {
  if (parts.length === 0) return null;
  const percent = (value: number) => `${(value / (most - least || 1)) * 100}%`;
  const words = parts.map(({ label, values }) => `${label} ${formatMs(values[0])}`).join(", ");
  return (
    <span className={styles["bar"]} role="img" aria-label={words} title={words}>
      {columnsOf(parts, 1)[0]!.map(({ token, from, to }) => (
        <i
          key={token}
          style={{
            left: percent(Math.min(from, to) - least),
            width: percent(Math.abs(to - from)),
            background: `var(${token})`,
          }}
        />
      ))}
      {least < 0 && <i className={styles["zero"]} style={{ left: percent(-least) }} />}
    </span>
  );
}
