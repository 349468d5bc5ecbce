import { EXPORT_COLUMNS, type ExportFile, type ExportTable } from "@svc/contract";

const DAY_MS = 24 * 60 * 60 * 1000;

const TABLES = Object.keys(EXPORT_COLUMNS) as ExportTable[];
const DAY_FILE = /^spans-(?<day>\d{4}-\d{2}-\d{2})$/;

/** `day` is the number of days since 1970-01-01 UTC. */
export type FileSelection = { table: Exclude<ExportTable, "spans"> } | { table: "spans"; day: number };

export function exportFiles(days: readonly number[]): ExportFile[] {
  const whole = TABLES.filter((table) => table !== "spans");
  return [
    ...whole.map((table) => ({ name: table, table, day: null })),
    ...days.map((at) => {
      const day = new Date(at * DAY_MS).toISOString().slice(0, 10);
      return { name: `spans-${day}`, table: "spans" as const, day };
    }),
  ];
}

export function fileOf(name: string): FileSelection | undefined {
  const { day } = DAY_FILE.exec(name)?.groups ?? {};
  const ms = day === undefined ? NaN : Date.parse(day);
  if (!Number.isNaN(ms)) return { table: "spans", day: ms / DAY_MS };
  const table = TABLES.find((each) => each === name);
  return table === undefined || table === "spans" ? undefined : { table };
}
