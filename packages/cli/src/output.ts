import pc from "picocolors";
import { fit, width } from "./terminal-text.ts";

const { isTTY, columns } = process.stdout;
export const paint = pc.createColors(Boolean(isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb");

/** Columns of the terminal; unbounded when the output goes elsewhere. */
export const terminalColumns = isTTY ? columns || 80 : Infinity;

export type Column<T> = { title: string; cell: (row: T) => string; right?: boolean };

const GAP = "  ";
const NARROWEST_LAST = 16;

/** Aligned columns under their titles; the last one is cut to what the terminal leaves. */
export function table<T>(rows: readonly T[], shape: readonly Column<T>[], empty: string): string {
  if (rows.length === 0) return empty;
  const cells = rows.map((row) => shape.map(({ cell }) => oneLine(cell(row))));
  const widths = shape.map(({ title }, at) => Math.max(width(title), ...cells.map((line) => width(line[at]!))));
  const before = widths.slice(0, -1).reduce((sum, columns) => sum + columns + GAP.length, 0);
  const last = shape.length - 1;
  widths[last] = Math.min(widths[last]!, Math.max(terminalColumns - before, NARROWEST_LAST));

  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(fit(text, widths[at]!), widths[at]!, shape[at]!.right))
      .join(GAP)
      .trimEnd();
  return [paint.dim(line(shape.map(({ title }) => title.toUpperCase()))), ...cells.map(line)].join("\n");
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
export function hang(text: string, indent: number): string {
  const room = Math.max(terminalColumns - indent, 20);
  return text
    .split("\n")
    .flatMap((line) => broken(line, room))
    .join(`\n${" ".repeat(indent)}`);
}

function broken(line: string, room: number): string[] {
  if (width(line) <= room) return [line];
  const lines = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1)!;
    if (last === "") lines[lines.length - 1] = word;
    else if (width(last) + 1 + width(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function pad(text: string, columns: number, right = false): string {
  const space = " ".repeat(Math.max(columns - width(text), 0));
  return right ? space + text : text + space;
}
