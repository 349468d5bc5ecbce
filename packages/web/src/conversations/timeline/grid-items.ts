import type { TimelineModel, TimelineRow } from "./model.ts";
import type { SpanRow } from "./span-rows.ts";

/** One row of the grid. */
export type GridItem =
  | { type: "row"; key: string; row: TimelineRow }
  | { type: "span"; key: string; row: SpanRow; turn: number | null; isLast: boolean }
  | { type: "rest"; key: string; count: number };

/** The turn whose spans are open; null for the spans of no turn. */
export type OpenSpans = number | null | undefined;

/** Returns the rows of the grid in order: the turns, the spans of the open turn, and the spans of no turn at the end. */
export function gridItems(model: TimelineModel, open: OpenSpans): GridItem[] {
  const items: GridItem[] = [];
  const addSpans = (turn: number | null) => {
    const rows = model.spanRows(turn);
    for (const [index, row] of rows.entries()) {
      const { spanId, traceId } = row.span;
      items.push({ type: "span", key: `span ${traceId} ${spanId}`, row, turn, isLast: index === rows.length - 1 });
    }
  };
  for (const row of model.rows) {
    items.push({ type: "row", key: keyOf(row), row });
    if (row.type === "turn" && row.turn.index === open) addSpans(open);
  }
  const count = model.restCount;
  if (count > 0) {
    items.push({ type: "rest", key: "rest", count });
    if (open === null) addSpans(null);
  }
  return items;
}

function keyOf(row: TimelineRow): string {
  if (row.type === "turn") return `turn ${row.turn.index}`;
  if (row.type === "silence") return `silence ${row.silence.fromMs}`;
  return row.type === "unspoken" ? `unspoken ${row.index}` : `speech ${row.period.spanId}`;
}

const LINE_PX = 23;
const LINE_CHARACTERS = 44;

/** Returns about how high a row is, before it is measured. */
export function estimatedHeight(item: GridItem): number {
  if (item.type === "span") return 23;
  if (item.type === "rest" || item.row.type !== "turn") return 32;
  const { turn, tools, cut } = item.row;
  const lines = Math.min(30, Math.ceil((turn.text?.length ?? 1) / LINE_CHARACTERS));
  return 43 + lines * LINE_PX + tools.length * 22 + (cut === null ? 0 : 22);
}
