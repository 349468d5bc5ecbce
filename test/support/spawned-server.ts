import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "./child-processes.ts";
import { fileOf } from "./code/programs.ts";
import { keySettings, keysIn } from "./secret.ts";
import { serverElsewhere } from "./server.ts";
import type { OpenService, Serving } from "./service-child.ts";
import { until } from "./until.ts";

const TICKS_PER_SECOND = 100;
/** The process counts as quiet when it used at most one clock tick before each of this many successive checks. */
const QUIET_LOOKS = 4;
/** Repeats the message of `service-child.ts`, because an import of that file would open a service. */
const COLLECT = "collect garbage";

/** The processor time of all threads of a process, and how far its memory rose. */
export type Cost = { cpuMs: number; megabytes: number };

/** Starts the service in another process, with the functions of a `TestServer`, and measures the process. Works only on Linux. */
export function spawnedServer() {
  let child: ChildProcess | undefined;

  const start = async ({
    settings: more = {},
    pace,
  }: Pick<OpenService, "pace"> & { settings?: Record<string, string> } = {}) => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-spawned-"));
    const settings = { ...keySettings(), ...more };
    const started = fork(fileOf("service-child"), {
      execArgv: ["--conditions=svc-source", "--expose-gc"],
    });
    child = started;
    const end = once(started, "exit");
    started.send({ dataDir, settings, ...(pace && { pace }) } satisfies OpenService);
    const [{ url }] = (await once(started, "message")) as [Serving];
    const stop = async () => {
      started.kill("SIGKILL");
      await end;
      rmSync(dataDir, { recursive: true, force: true });
    };
    const { adminKey, projectKey } = keysIn(settings);
    return serverElsewhere({ url, dataDir, adminKey, projectKey, stop });
  };

  const megabytes = (line: string) =>
    Number(new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${child!.pid}/status`, "utf8"))![1]) /
    1024;

  function cpuMs(): number {
    const fields = readFileSync(`/proc/${child!.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  }

  /** Waits until the process is quiet, because some work continues after an answer. */
  async function quiet(): Promise<void> {
    let [looks, last] = [0, cpuMs()];
    await until("the process is quiet", () => {
      const now = cpuMs();
      looks = now - last <= 1_000 / TICKS_PER_SECOND ? looks + 1 : 0;
      last = now;
      return looks >= QUIET_LOOKS;
    });
  }

  /** Frees the memory of earlier work, so that the next measurement starts from the memory of an idle process. */
  async function collectGarbage(): Promise<void> {
    const collected = once(child!, "message");
    child!.send(COLLECT);
    await collected;
  }

  /** Returns the processor time of the work, and how far the memory rose above the memory before. */
  async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    const [cpuBefore, before] = [cpuMs(), megabytes("VmRSS")];
    writeFileSync(`/proc/${child!.pid}/clear_refs`, "5"); // resets the highest memory
    await work();
    return { cpuMs: cpuMs() - cpuBefore, megabytes: Math.round(megabytes("VmHWM") - before) };
  }

  return { start, quiet, collectGarbage, costOf };
}
