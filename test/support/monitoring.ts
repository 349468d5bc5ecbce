import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MonitoringSetup } from "@svc/contract";
import { pages } from "@svc/sdk";
import type { AppOptions } from "@svc/server";
import { aCall, type CallWishes, type WireCall } from "./platform-a/calls.ts";
import { type FakePlatformA, openFakePlatformA } from "./platform-a/fake.ts";
import { FAST } from "./monitoring-pace.ts";
import { keySettings } from "./secret.ts";
import { startServer, type TestServer } from "./server.ts";
import { until } from "./until.ts";

export type Monitored = Awaited<ReturnType<typeof openMonitored>>;
export type MonitoredProject = ReturnType<typeof monitoredProject>;

type Options = Pick<AppOptions, "pace" | "productionPace"> & { settings?: Record<string, string> };

/** Opens a service that monitors a fake platform. */
export async function openMonitored(options: Options = {}) {
  const fake = await openFakePlatformA();
  const dataDir = mkdtempSync(join(tmpdir(), "svc-monitoring-"));
  const keys = keySettings();
  const start = () =>
    startServer({
      settings: { SVC_PLATFORM_A_BASE_URL: fake.url, ...keys, ...options.settings },
      pace: { ...FAST, ...options.pace },
      ...(options.productionPace && { productionPace: options.productionPace }),
      dataDir,
    });
  let server = await start();
  let projects: MonitoredProject[] = [];

  return {
    fake,
    dataDir,
    server: () => server,
    /** Creates a project, and agents on the platform that no other project has. */
    async project(agents = 1) {
      const agentIds = Array.from({ length: agents }, () => `agent_${++lastAgent}`);
      for (const id of agentIds) fake.addAgent(id, `Desk ${id}`);
      const { project } = await server.admin.projects.create({ name: `Monitored ${agentIds[0]}` });
      const { secret } = await server.admin.keys.create({ project_id: project.id });
      const created = monitoredProject(() => server, secret, fake, agentIds);
      projects.push(created);
      return created;
    },
    /** Ends all polling and every fault, so that nothing disturbs the next spec. */
    async quiet(): Promise<void> {
      fake.faults.stop();
      const removed = projects.map((project) => project.client().monitoring.remove({ platform: "platform_a" }));
      await Promise.allSettled(removed);
      projects = [];
    },
    /** Stops the service and starts it again on the same data. */
    async restart(): Promise<void> {
      await server.stop();
      server = await start();
    },
    async stop(): Promise<void> {
      await server.stop();
      await fake.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let lastAgent = 0;

function monitoredProject(server: () => TestServer, key: string, fake: FakePlatformA, agentIds: string[]) {
  const client = () => server().clientOf(key);

  const setups = async () => (await client().monitoring.list()).setups;
  const setup = async () => (await setups()).find(({ agent_platform }) => agent_platform === "platform_a")!;
  const untilSetup = (name: string, is: (setup: MonitoringSetup) => boolean, timeoutMs?: number) =>
    until(
      name,
      async () => {
        const current = await setup();
        return is(current) && current;
      },
      timeoutMs,
    );

  async function* traces() {
    await server().spansLoaded();
    yield* pages(client().traces.list, { pageSize: 200 });
  }

  async function conversations(): Promise<string[]> {
    const names: string[] = [];
    for await (const { conversationId, traceId } of traces()) names.push(conversationId ?? traceId);
    return names.sort();
  }

  return {
    key,
    agentIds,
    client,
    setups,
    setup,
    agent: async (id = agentIds[0]!) => (await setup()).agents.find((agent) => agent.platform_agent_id === id)!,
    save: async (ids = agentIds, apiKey = fake.apiKey) =>
      (await client().monitoring.savePlatformA({ api_key: apiKey, agents: ids.map((id) => ({ id })) })).setup,
    /** Resolves with the setup when `is` accepts it. */
    until: untilSetup,
    active: () => untilSetup("every agent is active", ({ agents }) => agents.every(({ state }) => state === "active")),
    /** Returns a complete call of the project's agent that began this many minutes ago. */
    callBefore: (minutes: number, wishes: Partial<CallWishes> = {}) =>
      callBefore(minutes, { agentId: agentIds[0]!, ...wishes }),
    traces,
    /** Returns the id of each conversation, or its trace's id when it has none. */
    conversations,
    imported: (calls: WireCall[]) =>
      until("the calls are conversations", async () => {
        const names = new Set(await conversations());
        return calls.every(({ call_id }) => names.has(call_id));
      }),
    reads: (call: WireCall) => fake.requestsTo(new RegExp(`get-call/${call.call_id}$`)).length,
    /** Returns the requests for pages of calls of the project's agents. */
    lists: () =>
      fake
        .requestsTo(/list-calls/)
        .filter(({ body }) => agentIds.includes(listedAgent(body)!))
        .map((request) => ({ ...request, agentId: listedAgent(request.body)! })),
  };
}

const listedAgent = (body: Record<string, unknown>) =>
  (body["filter_criteria"] as { agent: { agent_id: string }[] } | undefined)?.agent[0]?.agent_id;

export const idsOf = (calls: readonly WireCall[]): string[] => calls.map(({ call_id }) => call_id).sort();

let seed = 0;

/** Returns a complete call that began this many minutes ago. */
export const callBefore = (minutes: number, wishes: Partial<CallWishes> = {}): WireCall =>
  aCall({
    seed: ++seed,
    agentId: "agent_0",
    startMs: Date.now() - Math.round(minutes * 60_000),
    exchanges: 1,
    ...wishes,
  });
