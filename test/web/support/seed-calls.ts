import type { Client } from "@svc/sdk";
import { aCall } from "../../support/platform-a/calls.ts";
import type { FakePlatformA } from "../../support/platform-a/fake.ts";
import { until } from "../../support/until.ts";
import { soundOfCall } from "./sound.ts";

const HOUR_MS = 3_600_000;

/** Imports calls of two agents; the transcript of one call is missing. */
export async function importCalls(client: Client, platform: FakePlatformA): Promise<void> {
  const agents = ["Front desk", "After hours"].map((name, at) => ({ id: `agent_${at + 1}`, name }));
  for (const { id, name } of agents) {
    platform.addAgent(id, name);
    const calls = Array.from({ length: 6 }, (_, at) =>
      aCall({
        seed: at * 2 + (id === "agent_1" ? 0 : 1),
        agentId: id,
        agentName: name,
        startMs: Date.now() - (at + 1) * 5 * HOUR_MS,
        exchanges: 2 + (at % 3),
      }),
    );
    platform.addCalls(calls.map((call) => ({ ...call, recording_url: platform.addRecording(soundOfCall(call)) })));
  }
  platform.addCalls([transferredCall(agents[1]!)]);
  const [held] = platform.state.calls.keys();
  if (held !== undefined) platform.holdTranscript(held, 1_000);
  await client.monitoring.savePlatformA({ api_key: platform.apiKey, agents, fetch_recordings: true });
  await until("calls are imported", async () => {
    const { traces } = await client.traces.list({ source: "production", pageSize: 200 });
    const imported = traces.filter(({ agentName }) => agents.some(({ name }) => name === agentName));
    return imported.length >= platform.state.calls.size - 1;
  });
}

/** Returns a call that its agent hands over to a person; it has the fewest turns of all calls. */
function transferredCall({ id, name }: { id: string; name: string }) {
  const spoken = (role: string, content: string, start: number, end: number) => ({
    role,
    content,
    words: [{ word: content, start, end }],
  });
  const [startMs, duration_ms] = [Date.now() - 3 * HOUR_MS, 12_400];
  return aCall({
    seed: 40,
    agentId: id,
    agentName: name,
    startMs,
    members: {
      transcript_with_tool_calls: [
        spoken("agent", "I connect you with billing.", 0.5, 2),
        spoken("user", "Thank you.", 2.6, 3.1),
        spoken("transfer_target", "Billing, this is Dana. What is wrong with the bill?", 4.2, 7.4),
        spoken("user", "The second night is on it twice.", 7.9, 9.8),
        spoken("transfer_target", "I take it off at once.", 10.3, 11.9),
      ],
      duration_ms,
      end_timestamp: startMs + duration_ms,
    },
  });
}
