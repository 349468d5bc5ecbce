import { type Client, createClient, pages } from "@svc/sdk";
import { aCall } from "../../test/support/platform-a/calls.ts";
import type { FakePlatformA } from "../../test/support/platform-a/fake.ts";
import { type Access, lastingFaults, type Load } from "./load.ts";

const AGENT = "agent_0";
const PAUSE_MS = 100;
/** The platform lists calls by their start. Older calls would be outside the period that the next poll requests. */
const AGE_MS_MAX = 100 * 60_000;
const CALLS_AHEAD_MAX = 60;

/** Adds ended calls to a fake platform, which the service polls. Each call on the platform counts as an acknowledged fact. */
export function importLoad(platform: FakePlatformA, { pauseMs = PAUSE_MS, aheadMax = CALLS_AHEAD_MAX } = {}): Load {
  const calls = new Set<string>();
  let serial = 0;
  let projectKey = "";

  async function prepare({ admin }: Access): Promise<void> {
    platform.addAgent(AGENT, "Front desk");
    const { project } = await admin.projects.create({ name: "Monitored" });
    projectKey = (await admin.keys.create({ project_id: project.id })).secret;
    await admin.monitoring.savePlatformA({ api_key: platform.apiKey, agents: [{ id: AGENT }], project: project.id });
  }

  async function conversations(client: Client): Promise<string[]> {
    const names: string[] = [];
    for await (const { conversationId, traceId } of pages(client.traces.list, { pageSize: 200 }))
      names.push(conversationId ?? traceId);
    return names;
  }

  const missingIn = (names: readonly string[]) => {
    const there = new Set(names);
    return [...calls].filter((call) => !there.has(call));
  };

  async function step({ url, draws, clockOffsetMs = 0 }: Access): Promise<void> {
    const client = createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
    const imported = (await conversations(client)).length;
    if (calls.size - imported < aheadMax) {
      const ageMs = draws.whole(300_000, AGE_MS_MAX);
      const startMs = Date.now() + clockOffsetMs - ageMs;
      const call = aCall({ seed: ++serial, agentId: AGENT, startMs, exchanges: 1 });
      platform.addCalls([call]);
      calls.add(call.call_id);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }

  const faults = (access: Access) =>
    lastingFaults(access, async () => {
      const client = createClient({ baseUrl: access.url, apiKey: projectKey, retries: 0 });
      const names = await conversations(client);
      const doubled = names.filter((name, at) => names.indexOf(name) !== at);
      const strange = names.filter((name) => !calls.has(name));
      return [
        ...missingIn(names).map((name) => `imports: ${name} is missing`),
        ...doubled.map((name) => `imports: ${name} is there twice`),
        ...strange.map((name) => `imports: ${name} is no call of the platform`),
      ];
    });

  return {
    name: "imports",
    prepare,
    step,
    faults,
    acknowledged: () => calls.size,
    plant: () => void calls.add("call_that_the_platform_never_had"),
  };
}
