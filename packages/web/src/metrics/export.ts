import { saveFile } from "../ui/save-file.ts";
import { pictureOf, type PictureLine } from "../ui/plot-picture.ts";

type Cell = string | number | null;

/** Begins with a character that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a CSV text after RFC 4180. An unknown value is empty. A text that a spreadsheet would run gets an apostrophe. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("");

function fieldOf(cell: Cell): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Name of a file without its ending: `svc-response_latency-2026-11-20`. */
const nameOf = (id: string, fromMs: number): string => `svc-${id}-${new Date(fromMs).toISOString().slice(0, 10)}`;

export const saveCsv = (id: string, fromMs: number, rows: readonly (readonly Cell[])[]): void =>
  saveFile(`${nameOf(id, fromMs)}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));

type Picture = { id: string; fromMs: number; title: string; detail: string; lines: readonly PictureLine[] };

/** Saves the plot inside an element. */
export async function savePicture(element: HTMLElement, { id, fromMs, ...words }: Picture): Promise<void> {
  const canvases = [...element.querySelectorAll("canvas")];
  if (canvases.length > 0) saveFile(`${nameOf(id, fromMs)}.png`, await pictureOf(canvases, words));
}
