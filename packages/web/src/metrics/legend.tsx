import { createContext, use } from "react";
import { colorToken, dashOf, shortLabel } from "../ui/plot-drawing.ts";
import { keyOf, type Line, nameOfLine } from "./lines.ts";
import styles from "./metrics.module.css";

/** Label of the line that stands out in all plots. */
export const Emphasis = createContext<{ label: string | undefined; set: (label: string | undefined) => void }>({
  label: undefined,
  set: () => {},
});

/** Returns handlers that make a line stand out while the pointer or the focus is on the element. */
export function useEmphasis(): (line: Line) => Record<string, () => void> {
  const { set } = use(Emphasis);
  const clear = () => set(undefined);
  return (line) => {
    const show = () => set(nameOfLine(line));
    return { onPointerEnter: show, onPointerLeave: clear, onFocus: show, onBlur: clear };
  };
}

/** Short piece of a line, with its colour and its dashes. */
export const Swatch = ({ color }: { color: number }) => (
  <svg className={styles["swatch"]} width="18" height="8" aria-hidden>
    <line
      x1="0"
      x2="18"
      y1="4"
      y2="4"
      strokeWidth="2"
      strokeDasharray={dashOf(color).join(" ")}
      style={{ stroke: `var(${colorToken(color)})` }}
    />
  </svg>
);

type LegendProps = { drawn: readonly Line[]; onLines: (lines: readonly Line[]) => void };

/** Line of all drawn names, which stays visible. A press on a name shows it alone; a second press shows all again. */
export function Legend({ drawn, onLines }: LegendProps) {
  const emphasize = useEmphasis();
  const isAlone = drawn.length === 1;
  return (
    <ul className={styles["legend"]} aria-label="Drawn lines">
      {drawn.map((line, color) => (
        <li key={keyOf(line)}>
          <button
            type="button"
            title={isAlone ? "Show all again" : `Show ${nameOfLine(line)} alone`}
            aria-pressed={isAlone}
            onClick={() => onLines(isAlone ? [] : [line])}
            {...emphasize(line)}
          >
            <Swatch color={color} />
            <bdi aria-hidden>{shortLabel(nameOfLine(line))}</bdi>
            <span className="visually-hidden">{nameOfLine(line)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
