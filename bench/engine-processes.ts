import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

export type ProcessorSeconds = { service: number; clickhouse: number; postgres: number };

/** Returns the processor time of the service and of the databases. All of them are descendants of this process. */
export function processorSeconds(servicePid: number): ProcessorSeconds {
  const processes = readdirSync("/proc").flatMap((pid) => (/^\d+$/.test(pid) ? (statOf(pid) ?? []) : []));
  const descendants = new Set([process.pid]);
  for (const { pid, parent } of processes) if (descendants.has(parent)) descendants.add(pid);
  descendants.delete(process.pid);
  const sum: ProcessorSeconds = { service: 0, clickhouse: 0, postgres: 0 };
  for (const { pid, name, seconds } of processes) {
    if (!descendants.has(pid)) continue;
    sum[pid === servicePid ? "service" : name === "postgres" ? "postgres" : "clickhouse"] += seconds;
  }
  return sum;
}

function statOf(pid: string) {
  try {
    const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
    const fields = rest!.split(" ");
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { pid: Number(pid), name, parent: Number(fields[1]), seconds };
  } catch {
    return undefined; // the process has exited
  }
}
