import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { HostEvent, HostRequest } from "./host-child.ts";
import { type Launch, type LogLine, NotStarted, type Service } from "./service.ts";

const OPENINGS_EACH_PROCESS = 100;
const CLOSE_MS_MAX = 5_000;

/** The members of a service that scenarios use after a start on a damaged folder. */
export type StartedService = Pick<Service, "serving" | "isAlive" | "log" | "errors" | "warnings" | "kill">;

/** A process that serves one folder after another, so that it loads the code only once. */
export type Host = {
  start: (launch: Pick<Launch, "dataDir" | "settings" | "options">) => StartedService;
  close: () => void;
};

export function openHost(): Host {
  let child = newChild();
  let openings = 0;

  function start({ dataDir, settings, options = {} }: Parameters<Host["start"]>[0]): StartedService {
    if (++openings % OPENINGS_EACH_PROCESS === 0 || !child.isAlive()) {
      child.end();
      child = newChild();
    }
    const [mine, opening] = [child, openings];
    const log: LogLine[] = [];
    let closed: () => void;
    const closing = new Promise<void>((resolve) => (closed = resolve));
    const serving = new Promise<string>((resolve, reject) => {
      mine.listen((event) => {
        if ("logs" in event && event.logs === opening) log.push(event.line as LogLine);
        if ("serves" in event && event.serves === opening) resolve(event.url);
        if ("refused" in event && event.refused === opening) reject(new NotStarted(1, null, event.message));
        if ("closed" in event && event.closed === opening) closed();
      });
      const ended = ({ code, signal }: Awaited<typeof mine.exited>): void => {
        reject(new NotStarted(code, signal, mine.errors()));
        closed();
      };
      void mine.exited.then(ended);
    });
    serving.catch(() => undefined);
    mine.send({ open: opening, settings, dataDir, options });
    return {
      serving,
      isAlive: mine.isAlive,
      log,
      errors: mine.errors,
      warnings: () => log.filter(({ level }) => level !== "info"),
      async kill() {
        if (mine.isAlive()) mine.send({ close: opening });
        const timer = setTimeout(mine.end, CLOSE_MS_MAX);
        await closing;
        clearTimeout(timer);
        mine.listen(() => undefined);
        return { code: null, signal: null };
      },
    };
  }

  return { start, close: () => child.end() };
}

function newChild() {
  const child = fork(join(import.meta.dirname, "host-child.ts"), {
    execArgv: ["--conditions=svc-source"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/svc") },
  });
  let errors = "";
  let heard: (event: HostEvent) => void = () => undefined;
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.on("message", (event: HostEvent) => heard(event));
  const exited = once(child, "exit").then(
    ([code, signal]) => ({ code, signal }) as Awaited<ReturnType<Service["kill"]>>,
  );
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    exited,
    isAlive,
    errors: () => errors,
    /** Sends later events only to this listener. */
    listen: (listener: typeof heard) => void (heard = listener),
    send: (request: HostRequest) => void child.send(request, () => undefined),
    end: () => void child.kill("SIGKILL"),
  };
}
