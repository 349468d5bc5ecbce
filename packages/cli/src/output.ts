import pc from "picocolors";
import { fit, pieces, width } from "./terminal-text.ts";

const { isTTY, columns } = process.stdout;
export const paint = pc.createColors(Boolean(isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb");

/** Columns of the terminal; unbounded when the output goes elsewhere. */
export const terminalColumns = isTTY ? columns || 80 : Infinity;

export type Column<T> = {
  title: string;
  /** Of the last column only, how many columns of the terminal are left for it. */
  cell: (row: T, room: number) => string;
  right?: boolean;
  /** Of any length, such as a name: cut where the terminal has no room for all of it, as the last column always is. */
  cut?: boolean;
  /** Left out where the terminal has no room for all, the greatest first. */
  spare?: number;
};

const GAP = "  ";
const NARROWEST_CUT = 16;

/** Aligned columns under their titles, as wide as the terminal at most; nothing is cut when the output goes elsewhere. */
export function table<T>(
  rows: readonly T[],
  shape: readonly Column<T>[],
  empty: string,
  columns = terminalColumns,
): string {
  if (rows.length === 0) return empty;
  const filled = shape.map((column) => fill(column, rows));
  const last = filled.at(-1)!;
  const isCut = (one: Filled<T>) => one === last || one.column.cut === true;
  const least = (one: Filled<T>) => (isCut(one) ? Math.min(one.wide, NARROWEST_CUT) : one.wide);
  const left = () => columns - filled.reduce((sum, one) => sum + least(one) + GAP.length, -GAP.length);
  while (left() < 0 && filled.some(({ column }) => column.spare)) {
    const rank = ({ column }: Filled<T>) => column.spare ?? 0;
    filled.splice(filled.indexOf(filled.reduce((a, b) => (rank(b) > rank(a) ? b : a))), 1);
  }
  const cut = filled.filter(isCut).sort((a, b) => a.wide - b.wide);
  let room = left() + cut.reduce((sum, one) => sum + least(one), 0);
  for (const [at, one] of cut.entries()) {
    one.wide = Math.min(one.wide, Math.max(NARROWEST_CUT, Math.floor(room / (cut.length - at))));
    room -= one.wide;
  }
  last.cells = fill(last.column, rows, last.wide).cells;

  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(fit(text, filled[at]!.wide), filled[at]!.wide, filled[at]!.column.right))
      .join(GAP)
      .trimEnd();
  const titles = paint.dim(line(filled.map(({ column }) => column.title.toUpperCase())));
  return [titles, ...rows.map((_row, at) => line(filled.map(({ cells }) => cells[at]!)))].join("\n");
}

type Filled<T> = { column: Column<T>; cells: string[]; wide: number };

function fill<T>(column: Column<T>, rows: readonly T[], room = Infinity): Filled<T> {
  const cells = rows.map((row) => oneLine(column.cell(row, room)));
  return { column, cells, wide: cells.reduce((wide, cell) => Math.max(wide, width(cell)), width(column.title)) };
}

/** Names and values, the values aligned; unknown values are left out. */
export function facts(pairs: readonly [name: string, value: string | undefined][]): string {
  const known = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
  const widest = Math.max(...known.map(([name]) => width(name)));
  return known
    .map(([name, value]) => `${paint.dim(pad(name, widest))}${GAP}${hang(value, widest + GAP.length)}`)
    .join("\n");
}

/** Text broken at words to the terminal's width; lines after the first are indented by so many columns. */
export function hang(text: string, indent: number, columns = terminalColumns): string {
  const room = Math.max(columns - indent, 20);
  return text
    .split("\n")
    .flatMap((line) => broken(line, room))
    .join(`\n${" ".repeat(indent)}`);
}

function broken(line: string, room: number): string[] {
  if (width(line) <= room) return [line];
  const lines = [""];
  for (const word of line.split(" ")) {
    let space = " ";
    for (const piece of pieces(word)) {
      const last = lines.at(-1)!;
      if (last === "") lines[lines.length - 1] = piece;
      else if (width(last) + space.length + width(piece) <= room) lines[lines.length - 1] = last + space + piece;
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
