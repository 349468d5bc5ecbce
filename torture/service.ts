import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { AppOptions } from "@svc/server";
import { type Client, createClient } from "@svc/sdk";
import { type Draws, keyFrom } from "./random.ts";
import { keySettings } from "../test/support/secret.ts";

/** A line of the service's log. */
export type LogLine = { level: string; msg: string } & Record<string, unknown>;
type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Service = {
  process: ChildProcess;
  /** Resolves with the service's address. Rejects if the process exits before it is ready. */
  serving: Promise<string>;
  exited: Promise<Exit>;
  isAlive: () => boolean;
  /** The lines of the log so far. */
  log: LogLine[];
  /** Everything that the process wrote on standard error. */
  errors: () => string;
  /** Returns the log lines with the level `warn` or above. */
  warnings: () => LogLine[];
  suspend: () => void;
  resume: () => void;
  rssMb: () => number;
  /** Ends the process with SIGTERM and waits for its end. */
  stop: () => Promise<Exit>;
  /** Ends the process with SIGKILL and waits for its end. */
  kill: () => Promise<Exit>;
};

export type Launch = {
  dataDir: string;
  settings: Record<string, string>;
  options?: AppOptions;
  /** Moves the process's clock. */
  clock?: { offsetMs?: number; speed?: number };
  logFile?: string;
};

const ROOT = join(import.meta.dirname, "..");

/** Starts the service as a separate process. */
export function launch({ dataDir, settings, options = {}, clock, logFile }: Launch): Service {
  const preload = clock === undefined ? [] : ["--import", join(import.meta.dirname, "clock.mjs")];
  const child = spawn(
    process.execPath,
    ["--conditions=svc-source", ...preload, join(import.meta.dirname, "child.ts")],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/svc"),
        MALLOC_ARENA_MAX: "2",
        MALLOC_MMAP_THRESHOLD_: "1048576",
        MALLOC_TRIM_THRESHOLD_: "1048576",
        PORT: "0",
        LOG_LEVEL: "info",
        ...settings,
        SVC_DATA_DIR: dataDir,
        TORTURE_OPTIONS: JSON.stringify(options),
        ...(clock && { TORTURE_CLOCK: JSON.stringify(clock) }),
      },
    },
  );
  if (logFile !== undefined) mkdirSync(dirname(logFile), { recursive: true });
  // The process's last lines may arrive after the scenario has removed its folder.
  const keep = (text: string) => {
    if (logFile !== undefined && existsSync(dirname(logFile))) appendFileSync(logFile, text);
  };
  const log: LogLine[] = [];
  let errors = "";
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const exited = once(child, "close").then(([code, signal]) => ({ code, signal }) as Exit);
  const serving = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (text) => {
      keep(`${text}\n`);
      const line = readLine(text);
      log.push(line);
      if (line.msg === "serving") resolve(String(line["address"]));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      keep(text);
      errors += text;
    });
    void exited.then(({ code, signal }) => reject(new NotStarted(code, signal, errors)));
  });
  serving.catch(() => undefined);

  const end = (signal: NodeJS.Signals) => {
    if (isAlive()) child.kill(signal);
    return exited;
  };
  return {
    process: child,
    serving,
    exited,
    isAlive,
    log,
    errors: () => errors,
    warnings: () => log.filter(({ level }) => ["warn", "error", "fatal"].includes(level)),
    suspend: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    rssMb: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

/** The service exited before it was ready. */
export class NotStarted extends Error {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly text: string;
  constructor(code: number | null, signal: NodeJS.Signals | null, text: string) {
    super(`the service did not start (exit code ${code}, signal ${signal}): ${text.trim()}`);
    this.code = code;
    this.signal = signal;
    this.text = text.trim();
  }
}

function readLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: "text", msg: text };
  }
}

/** Returns the settings of a claimed service with one organization and one project. Its secrets follow from the draws. */
export function claimed(draws: Draws, more: Record<string, string> = {}): Record<string, string> & Claim {
  return {
    SVC_INIT_ADMIN: `${ADMIN_EMAIL}:pass ${draws.hex(20)}`,
    ...keySettings({ adminKey: keyFrom(draws), projectKey: keyFrom(draws) }),
    SVC_RATE_LIMIT_PER_MINUTE: "10000000",
    SVC_PLATFORM_A_BASE_URL: "http://127.0.0.1:9/",
    SVC_OUTBOUND_PRIVATE: "true",
    ...more,
  };
}
export type Claim = { SVC_INIT_ADMIN: string; SVC_INIT_API_KEYS: string };
export const ADMIN_EMAIL = "admin@acme.test";
/** Returns the password of the admin in these settings. */
export const passwordIn = ({ SVC_INIT_ADMIN: admin }: Claim): string => admin.slice(ADMIN_EMAIL.length + 1);

/** Returns a client that tries each request once. */
export const clientOf = (baseUrl: string, apiKey: string, timeoutMs = 60_000): Client =>
  createClient({ baseUrl, apiKey, retries: 0, timeoutMs });
