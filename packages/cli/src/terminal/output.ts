import { stripVTControlCharacters } from "node:util";
import pc from "picocolors";
import { fit, pieces, width } from "./terminal-text.ts";

const { isTTY, columns } = process.stdout;
export const paint = pc.createColors(Boolean(isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb");

export const terminalColumns = isTTY ? columns || 80 : Infinity;

export type Column<T> = {
  title: string;
  /** `room` is the remaining width for the last column; Infinity for any other column. */
  cell: (row: T, room: number) => string;
  right?: boolean;
  /**
   * Cuts long texts, such as names, when the terminal is too narrow. The last column is always cut, unless it is `whole` or `isId`.
   */
  cut?: boolean;
  /** Prevents cuts in the last column, for ids that other commands need. */
  whole?: boolean;
  /** Omits the column when the other texts would otherwise be unreadable, for ids of resources that have a name. */
  isId?: boolean;
  /** Omits the column when the terminal is too narrow. The column with the greatest number is omitted first. */
  spare?: number;
};

const GAP = "  ";
const NARROWEST_CUT = 16;
/** Width in columns at which a cut text is still readable. */
const READABLE_CUT = 40;

/** For resources with a name. A narrow table omits this column, because commands also accept the name. */
export const idColumn: Column<{ id: string }> = { title: "id", cell: ({ id }) => id, isId: true };

/** For resources without a name. A table never omits this column, because commands need the id. */
export const wholeIdColumn: Column<{ id: string }> = { title: "id", cell: ({ id }) => id, whole: true };

/** The table is at most as wide as the terminal, if possible. */
export function table<T>(
  rows: readonly T[],
  shape: readonly Column<T>[],
  empty: string,
  columns = terminalColumns,
): string {
  if (rows.length === 0) return empty;
  const filled = shape.map((column) => fill(column, rows));
  const isCut = (one: FilledColumn<T>) =>
    one.column.cut === true || (one === filled.at(-1) && !one.column.whole && !one.column.isId);
  const least = (one: FilledColumn<T>, most = NARROWEST_CUT) => (isCut(one) ? Math.min(one.wide, most) : one.wide);
  const left = (most = NARROWEST_CUT) =>
    columns - filled.reduce((sum, one) => sum + least(one, most) + GAP.length, -GAP.length);
  const ids = filled.findIndex(({ column }) => column.isId);
  if (ids !== -1 && left(READABLE_CUT) < 0) filled.splice(ids, 1);
  while (left() < 0 && filled.some(({ column }) => column.spare)) {
    const rank = ({ column }: FilledColumn<T>) => column.spare ?? 0;
    filled.splice(filled.indexOf(filled.reduce((a, b) => (rank(b) > rank(a) ? b : a))), 1);
  }
  const [name, ...others] = filled.filter(isCut);
  const sum = (all: FilledColumn<T>[], of: (one: FilledColumn<T>) => number) =>
    all.reduce((total, one) => total + of(one), 0);
  let room = left() + sum(filled.filter(isCut), least);
  if (name) {
    // The first column that may be cut is a name, which identifies the row.
    const readable = Math.min(READABLE_CUT, room - sum(others, least));
    name.wide = Math.min(name.wide, Math.max(NARROWEST_CUT, readable, room - sum(others, ({ wide }) => wide)));
    room -= name.wide;
  }
  const cut = others.sort((a, b) => a.wide - b.wide);
  for (const [at, one] of cut.entries()) {
    one.wide = Math.min(one.wide, Math.max(NARROWEST_CUT, Math.floor(room / (cut.length - at))));
    room -= one.wide;
  }
  const last = filled.at(-1)!;
  last.cells = fill(last.column, rows, last.wide).cells;

  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(fit(text, filled[at]!.wide), filled[at]!.wide, filled[at]!.column.right))
      .join(GAP)
      .trimEnd();
  const titles = paint.dim(line(filled.map(({ column }) => column.title.toUpperCase())));
  return [titles, ...rows.map((_row, at) => line(filled.map(({ cells }) => cells[at]!)))].join("\n");
}

type FilledColumn<T> = { column: Column<T>; cells: string[]; wide: number };

function fill<T>(column: Column<T>, rows: readonly T[], room = Infinity): FilledColumn<T> {
  const cells = rows.map((row) => oneLine(column.cell(row, room)));
  return { column, cells, wide: cells.reduce((wide, cell) => Math.max(wide, width(cell)), width(column.title)) };
}

export function facts(pairs: readonly [name: string, value: string | undefined][]): string {
  const lines = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
  const widest = Math.max(...lines.map(([name]) => width(name)));
  return lines
    .map(([name, value]) => `${paint.dim(pad(name, widest))}${GAP}${hang(value, widest + GAP.length)}`)
    .join("\n");
}

/** Wraps a text at words to the width of the terminal. The first line begins at column `start`, the other lines at column `indent`. */
export function hang(text: string, indent: number, columns = terminalColumns, start = indent): string {
  const room = Math.max(columns - indent, 20);
  return text
    .split("\n")
    .flatMap((line, at) => wrap(line, room, at === 0 ? room - (start - indent) : room))
    .join(`\n${" ".repeat(indent)}`);
}

export const hangAfter = (label: string, text: string, indent: number): string =>
  label + hang(text, indent, terminalColumns, width(stripVTControlCharacters(label)));

function wrap(line: string, room: number, firstRoom: number): string[] {
  if (width(line) <= firstRoom) return [line];
  const lines = [""];
  for (const word of line.split(" ")) {
    let space = " ";
    for (const piece of pieces(word)) {
      const last = lines.at(-1)!;
      if (last === "") lines[lines.length - 1] = piece;
      else if (width(last) + space.length + width(piece) <= (lines.length === 1 ? firstRoom : room))
        lines[lines.length - 1] = last + space + piece;
      else lines.push(piece);
      space = "";
    }
  }
  return lines;
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function pad(text: string, columns: number, right = false): string {
  const space = " ".repeat(Math.max(columns - width(text), 0));
  return right ? space + text : text + space;
}
