import { saveFile } from "./save-file.ts";

type Cell = string | number | null;

export type CsvRows = readonly (readonly Cell[])[];

/** Begins with a character that a spreadsheet reads as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a CSV text after RFC 4180. An unknown value is empty. A text that a spreadsheet would run gets an apostrophe. */
export const csvOf = (rows: CsvRows): string => rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("");

function fieldOf(cell: Cell): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves a file of this name and the ending `.csv`. */
export const saveCsv = (name: string, rows: CsvRows): void =>
  saveFile(`${name}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));
