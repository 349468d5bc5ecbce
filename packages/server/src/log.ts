import { type Logger, pino } from "pino";

export type Log = Pick<Logger, "info" | "warn" | "error">;

const SECRET = /svc_sk_[A-Za-z0-9_-]{10,}/g;
const mask = (text: string) => text.replace(SECRET, "svc_sk_…");

/** Writes JSON lines to standard output and masks every text that looks like one of our secrets. */
export const createLog = (level: string): Log =>
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
    { write: (line: string) => void process.stdout.write(mask(line)) },
  );
