// Runs a fake platform_a for people who try the service: three voice agents, 30 days of calls, and a new call every half minute.
import { aCall } from "../test/support/platform-a/calls.ts";
import { openFakePlatformA } from "../test/support/platform-a/fake.ts";
import { seeded } from "../test/support/platform-a/random.ts";

const PORT = 3190;
const DAYS = 30;
const CALLS_EACH = 40;
const NEW_CALL_MS = 30_000;
const AGENTS = ["Front desk", "Appointments", "After hours"].map((name, at) => ({ id: `agent_${at + 1}`, name }));

const platform = await openFakePlatformA({ port: PORT });
const random = seeded(1);
const dayMs = 24 * 3_600_000;
let seed = 0;

const call = (agent: (typeof AGENTS)[number], agoMs: number) =>
  aCall({
    seed: seed++,
    agentId: agent.id,
    agentName: agent.name,
    startMs: Date.now() - Math.round(agoMs),
    exchanges: 1 + Math.floor(random() * 5),
  });

for (const agent of AGENTS) {
  platform.addAgent(agent.id, agent.name);
  platform.addCalls(Array.from({ length: CALLS_EACH }, () => call(agent, 3_600_000 + random() * DAYS * dayMs)));
}
setInterval(() => platform.addCalls([call(AGENTS[seed % AGENTS.length]!, 120_000)]), NEW_CALL_MS);

console.log(`A fake platform_a serves ${platform.url}: ${AGENTS.length} voice agents, ${platform.state.calls.size} calls.

  SVC_PLATFORM_A_BASE_URL=${platform.url} npm start
  its API key: ${platform.apiKey}`);
