import { type Logger, pino } from "pino";
import { logLineText } from "./log-text.ts";

export type Log = Pick<Logger, "info" | "warn" | "error">;

const isForPeople = (format: string): boolean => format === "text" || (format === "auto" && process.stdout.isTTY);

const SECRET = /svc_sk_[A-Za-z0-9_-]{10,}/g;
const mask = (text: string) => text.replace(SECRET, "svc_sk_…");

/**
 * Writes lines to standard output and masks every text that looks like one of our secrets: JSON, or text for people, by default
 * when standard output is a terminal.
 */
export const createLog = (level: string, format: "auto" | "json" | "text" = "json"): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: [
        "authorization",
        "cookie",
        "password",
        "secret",
        "*.authorization",
        "*.cookie",
        "*.password",
        "*.secret",
      ],
    },
    { write: (line: string) => void process.stdout.write(mask(isForPeople(format) ? logLineText(line) : line)) },
  );
