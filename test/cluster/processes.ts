import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Draws } from "../../torture/random.ts";
import { type Spawned, spawnService } from "../engines/spawned.ts";
import { type Ask, type Reply, send } from "../support/request.ts";
import type { OpenService } from "../support/service-child.ts";
import { until } from "../support/until.ts";

export type Processes = Awaited<ReturnType<typeof startProcesses>>;

/** Starts processes on one database. Each process keeps its data folder when it is started again. */
export async function startProcesses(count: number, draws: Draws, wanted: Omit<OpenService, "dataDir">) {
  const folder = mkdtempSync(join(tmpdir(), "svc-cluster-"));
  const living = new Map<number, Spawned>();
  /** The number of answers with each status. `none` counts requests without an answer because their process was killed. */
  const statuses = new Map<number | "none", number>();
  let kills = 0;
  let deaths = 0;

  /** Starts a process. Starts it again when it exits because PostgreSQL is down, as a supervisor would. */
  async function start(at: number): Promise<void> {
    const service = await until(`process ${at} serves`, () =>
      spawnService({ ...wanted, dataDir: join(folder, String(at)) }),
    );
    living.set(at, service);
    service.process.once("exit", () => {
      if (living.get(at) === service) deaths++;
    });
  }

  async function ask(url: string, request: Ask): Promise<Reply | undefined> {
    const reply = await send(url, request).catch(() => undefined);
    const status = reply?.status ?? "none";
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return reply;
  }

  await Promise.all(Array.from({ length: count }, (_, at) => start(at)));

  return {
    statuses,
    kills: () => kills,
    /** The number of processes that ended by themselves. */
    deaths: () => deaths,
    urls: () => [...living.values()].map(({ url }) => url),
    client: () => draws.pick([...living.values()]).client,
    /** Sends a request to any living process; returns undefined when its process was killed before the answer. */
    ask: (request: Ask) => ask(draws.pick([...living.values()]).url, request),
    askAt: ask,
    /** Kills a process and starts it again. */
    async killOne(): Promise<void> {
      const at = draws.pick([...living.keys()]);
      const service = living.get(at)!;
      living.delete(at);
      kills++;
      await service.kill();
      await start(at);
    },
    async stop(): Promise<void> {
      const services = [...living.values()];
      living.clear();
      await Promise.all(services.map((service) => service.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
