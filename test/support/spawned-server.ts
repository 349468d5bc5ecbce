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
/** The process is quiet when it used at most a tick between each two of these looks. */
const QUIET_LOOKS = 4;
/** The message of `service-child.ts`, whose import would open a service. */
const COLLECT = "collect garbage";

/** Processor time that all threads of a process used, and its highest memory above the memory before. */
export type Cost = { cpuMs: number; megabytes: number };

/** Starts the service in another process with the face of the specs' server, and measures that process; on Linux only. */
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

  /** Waits until the work that goes on after an answer has ended. */
  async function quiet(): Promise<void> {
    let [looks, last] = [0, cpuMs()];
    await until("the process is quiet", () => {
      const now = cpuMs();
      looks = now - last <= 1_000 / TICKS_PER_SECOND ? looks + 1 : 0;
      last = now;
      return looks >= QUIET_LOOKS;
    });
  }

  /** Gives back the memory of earlier work, so that the next cost is above that of an idle process. */
  async function collectGarbage(): Promise<void> {
    const collected = once(child!, "message");
    child!.send(COLLECT);
    await collected;
  }

  /** Returns what the process used for the work, with the highest memory meanwhile above the memory before. */
  async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    const [cpuBefore, before] = [cpuMs(), megabytes("VmRSS")];
    writeFileSync(`/proc/${child!.pid}/clear_refs`, "5"); // the highest memory begins anew
    await work();
    return { cpuMs: cpuMs() - cpuBefore, megabytes: Math.round(megabytes("VmHWM") - before) };
  }

  return { start, quiet, collectGarbage, costOf };
}
