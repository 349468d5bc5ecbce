import { type Logger, pino } from "pino";

export type Log = Pick<Logger, "info" | "warn" | "error">;

const isForPeople = (format: string): boolean => format === "text" || (format === "auto" && process.stdout.isTTY);

const SECRET = /svc_sk_[A-Za-z0-9_-]{10,}/g;
/** Replaces API keys of this service in a text. */
export const maskSecrets = (text: string) => text.replace(SECRET, "svc_sk_…");

/** Creates the log. It masks everything that looks like an API key of this service. */
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
    { write: (line: string) => void process.stdout.write(maskSecrets(isForPeople(format) ? logLineText(line) : line)) },
  );

type Entry = { level: string; time: string; msg?: string } & Record<string, unknown>;

const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Members that only the JSON form contains. */
const FOR_PROGRAMS = ["request_id", "organization_id"];

function logLineText(line: string): string {
  const { level, time, msg = "", err, ...members } = JSON.parse(line) as Entry;
  const clock = new Date(time).toLocaleTimeString("en-GB");
  const mark = level === "info" ? "" : `${level.toUpperCase()}  `;
  const parts = [`${clock}  ${mark}${sentenceOf(msg, members)}`];
  const stack = err !== null && typeof err === "object" && "stack" in err ? String(err.stack) : undefined;
  if (stack !== undefined) parts.push(stack.replaceAll(/^/gm, "          "));
  return `${parts.join("\n").replaceAll(CONTROLS, "")}\n`;
}

function sentenceOf(msg: string, members: Record<string, unknown>): string {
  if (msg === "request") {
    const { method, path, status, duration_ms: took, ...others } = members;
    return [`${String(method)} ${String(path)} ${String(status)}  ${String(took)} ms`, ...pairsOf(others)].join("  ");
  }
  return [msg, ...pairsOf(members)].join("  ");
}

const pairsOf = (members: Record<string, unknown>): string[] =>
  Object.entries(members)
    .filter(([name, value]) => value !== undefined && !FOR_PROGRAMS.includes(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
