import { LIMITS } from "@svc/contract";
import { callBefore } from "../../support/monitoring.ts";
import { withoutTranscript } from "../../support/platform-a/calls.ts";
import type { Fault } from "../../support/platform-a/faults.ts";
import { send } from "../../support/request.ts";
import { until } from "../../support/until.ts";
import type { World } from "../../support/world.ts";
import { adminAsk, type Row } from "./row.ts";

const discoverAsk = (w: World, api_key: string) =>
  adminAsk(w, "monitoring.discover", { api_key, project: w.project.id });

const saveAsk = (w: World, change: object = {}) =>
  adminAsk(w, "monitoring.savePlatformA", {
    api_key: w.platformA.apiKey,
    agents: [{ id: "agent_0" }],
    project: w.project.id,
    ...change,
  });

/** Lists the platform's agents while the platform has this fault. */
const discovering =
  (fault: Fault): Row["ask"] =>
  (w) => {
    w.platformA.faults.next(fault, { path: /list-agents/ });
    return discoverAsk(w, w.platformA.apiKey);
  };

const provider: Row[] = [
  {
    name: "discovering while the platform fails",
    code: "provider_unavailable",
    ask: discovering({ kind: "status", status: 500 }),
  },
  {
    name: "discovering while the platform resets connections",
    code: "provider_unavailable",
    ask: (w) => {
      w.platformA.faults.next({ kind: "reset" }, { times: 2, path: /list-agents/ });
      return discoverAsk(w, w.platformA.apiKey);
    },
  },
  {
    name: "discovering while the platform answers garbage",
    code: "provider_unavailable",
    ask: discovering({ kind: "garbage" }),
  },
  {
    name: "discovering while the platform redirects",
    code: "provider_unavailable",
    ask: discovering({ kind: "redirect", to: "https://elsewhere.test/" }),
  },
  {
    name: "discovering while the platform limits the key",
    code: "too_many_requests",
    headers: { "retry-after": "7" },
    ask: discovering({ kind: "status", status: 429, retryAfter: "7" }),
  },
  {
    name: "discovering with a key that the platform does not know",
    code: "unprocessable",
    ask: (w) => discoverAsk(w, "key_unknown"),
  },
  {
    name: "discovering with a key that may not read agents",
    code: "unprocessable",
    details: () => ({ permission: "read agents" }),
    ask: (w) => {
      w.platformA.addKey("key_without_agents", "agents");
      return discoverAsk(w, "key_without_agents");
    },
  },
  {
    name: "saving a key that may not read call history",
    code: "unprocessable",
    details: () => ({ permission: "read call history" }),
    ask: (w) => {
      w.platformA.addKey("key_without_calls", "calls");
      return saveAsk(w, { api_key: "key_without_calls" });
    },
  },
  {
    name: "saving an agent that the platform does not know",
    code: "unprocessable",
    details: () => ({ agent: "agent_9" }),
    ask: (w) => saveAsk(w, { agents: [{ id: "agent_0" }, { id: "agent_9" }] }),
  },
  {
    name: "saving an agent whose id would change the URL",
    code: "unprocessable",
    ask: (w) => saveAsk(w, { agents: [{ id: ".." }] }),
  },
];

const bounds: Row[] = [
  { name: "saving no agent", code: "unprocessable", ask: (w) => saveAsk(w, { agents: [] }) },
  {
    name: "saving too many agents",
    code: "unprocessable",
    ask: (w) =>
      saveAsk(w, { agents: Array.from({ length: LIMITS.monitoredAgents + 1 }, (_, n) => ({ id: `agent_${n}` })) }),
  },
  { name: "saving an agent with a blank id", code: "unprocessable", ask: (w) => saveAsk(w, { agents: [{ id: " " }] }) },
  {
    name: "saving an agent with an id over the bound",
    code: "unprocessable",
    ask: (w) => saveAsk(w, { agents: [{ id: "x".repeat(LIMITS.platformIdCharacters + 1) }] }),
  },
  { name: "saving an agent that is a text", code: "invalid_request", ask: (w) => saveAsk(w, { agents: ["agent_0"] }) },
  {
    name: "saving an agent with an unknown member",
    code: "invalid_request",
    ask: (w) => saveAsk(w, { agents: [{ id: "agent_0", channel: "voice" }] }),
  },
  ...[
    "",
    "short",
    "x".repeat(LIMITS.platformKeyCharactersMax + 1),
    "key with spaces",
    "key\r\nx-evil: 1",
    "schlüssel-1",
  ].map((api_key): Row => ({
    name: `discovering with the key ${JSON.stringify(api_key.slice(0, 20))}`,
    code: "unprocessable",
    ask: (w) => discoverAsk(w, api_key),
  })),
];

/** Returns an open import failure of a call that is incomplete on the platform. */
async function incompleteCall(w: World) {
  const call = callBefore(100);
  w.platformA.addCalls([withoutTranscript(call)]);
  await send(w.url, saveAsk(w));
  const failure = await until("the incomplete call is an open failure", async () => {
    const { setups } = await w.admin.monitoring.list({ project: w.project.id });
    return setups
      .flatMap(({ agents }) => agents.flatMap(({ failures }) => failures))
      .find(({ provider_call_id }) => provider_call_id === call.call_id);
  });
  return {
    callId: call.call_id,
    ask: adminAsk(w, "monitoring.replay", { failureId: failure.id, project: w.project.id }),
  };
}

const replays: Row[] = [
  {
    name: "replaying a call that is still incomplete",
    code: "conversation_incomplete",
    ask: async (w) => (await incompleteCall(w)).ask,
  },
  {
    name: "replaying a failure whose replay is under way",
    code: "replay_in_progress",
    ask: async (w) => {
      const { callId, ask } = await incompleteCall(w);
      const path = new RegExp(callId);
      w.platformA.faults.next({ kind: "hang" }, { path });
      const asked = w.platformA.requestsTo(path).length;
      void send(w.url, ask).catch(() => undefined);
      await until("the platform is asked", () => w.platformA.requestsTo(path).length > asked);
      return ask;
    },
  },
  {
    name: "replaying while the platform fails",
    code: "provider_unavailable",
    ask: async (w) => {
      const { callId, ask } = await incompleteCall(w);
      w.platformA.faults.next({ kind: "status", status: 502 }, { path: new RegExp(callId), times: 3 });
      return ask;
    },
  },
  {
    name: "replaying while the platform limits the key",
    code: "too_many_requests",
    headers: { "retry-after": "3" },
    ask: async (w) => {
      const { callId, ask } = await incompleteCall(w);
      w.platformA.faults.next({ kind: "status", status: 429, retryAfter: "3" }, { path: new RegExp(callId) });
      return ask;
    },
  },
  {
    name: "removing a missing setup",
    code: "not_found",
    ask: (w) => adminAsk(w, "monitoring.remove", { platform: "platform_a", project: w.otherProject.id }),
  },
];

export const monitoring: Row[] = [...provider, ...bounds, ...replays];
