import type { MonitoringSetup } from "@svc/contract";
import type { AppOptions } from "@svc/server";
import { aCall, type CallWishes, type WireCall } from "./platform-a/calls.ts";
import { openFakePlatformA } from "./platform-a/fake.ts";
import { startServer } from "./server.ts";
import { until } from "./until.ts";

const HOUR = 3_600_000;

/** Everything that takes seconds to days takes milliseconds. */
export const FAST: NonNullable<AppOptions["pace"]> = {
  tickMs: 10,
  pollMs: 40,
  lateMs: 40,
  requestMs: 500,
  backOffMs: 10,
  backOffMaxMs: 40,
  reprobeMs: 100,
  retryMs: 20,
  retryMaxMs: 100,
  looksMs: [20, 20, HOUR],
};

export type Monitored = Awaited<ReturnType<typeof openMonitored>>;

/** A service that asks a fake platform with agents `agent_0`, `agent_1` … */
export async function openMonitored({ agents = 1, pace = {}, settings = {}, dataDir }: Options = {}) {
  const fake = await openFakePlatformA();
  const agentIds = Array.from({ length: agents }, (_, n) => `agent_${n}`);
  for (const id of agentIds) fake.addAgent(id, `Desk ${id}`);
  const server = await startServer({
    settings: { SVC_PLATFORM_A_BASE_URL: fake.url, ...settings },
    pace: { ...FAST, ...pace },
    ...(dataDir !== undefined && { dataDir }),
  });
  const { client } = server;

  const setupOf = async (platform: MonitoringSetup["agent_platform"] = "platform_a") =>
    (await client.monitoring.list()).setups.find(({ agent_platform }) => agent_platform === platform)!;
  const save = async (ids = agentIds, apiKey = fake.apiKey) =>
    (await client.monitoring.savePlatformA({ api_key: apiKey, agents: ids.map((id) => ({ id })) })).setup;

  return {
    ...server,
    fake,
    agentIds,
    setupOf,
    save,
    agentOf: async (id = agentIds[0]!) => (await setupOf()).agents.find((agent) => agent.platform_agent_id === id)!,
    /** Resolves with the setup once it is as `is` says. */
    until: (name: string, is: (setup: MonitoringSetup) => boolean, timeoutMs?: number) =>
      until(
        name,
        async () => {
          const setup = await setupOf();
          return is(setup) && setup;
        },
        timeoutMs,
      ),
    /** Ids of the calls that are conversations, by name, each as often as it is one. */
    async conversations(): Promise<string[]> {
      await server.spansLoaded();
      const found: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await client.traces.list({ pageSize: 200, pageToken });
        found.push(...page.traces.map(({ conversationId, traceId }) => conversationId ?? traceId));
        pageToken = page.nextPageToken ?? undefined;
      } while (pageToken !== undefined);
      return found.sort();
    },
    async stop(): Promise<void> {
      await server.stop();
      await fake.close();
    },
  };
}

type Options = {
  agents?: number;
  pace?: NonNullable<AppOptions["pace"]>;
  settings?: Record<string, string>;
  dataDir?: string;
};

let seed = 0;

/** A complete call that began so many minutes ago. */
export const callBefore = (minutes: number, wishes: Partial<CallWishes> = {}): WireCall =>
  aCall({ seed: ++seed, agentId: "agent_0", startMs: Date.now() - minutes * 60_000, exchanges: 1, ...wishes });
