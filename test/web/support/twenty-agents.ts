import type { Client } from "@svc/sdk";
import { liveKitRequest } from "../../support/livekit-request.ts";
import { attribute, encodeProtobuf } from "../../support/otlp.ts";
import { hostileName } from "./hostile-texts.ts";

const DAY_MS = 86_400_000;
const DAYS = 12;

/** Names of 20 agents: 18 with the same beginning, a hostile one and one in Arabic. */
export const TWENTY_AGENTS = [
  ...Array.from({ length: 18 }, (_, at) => `support.agent-${at + 1}`),
  hostileName("agent"),
  "وكيل الحجز",
];

/** Sends conversations of twenty agents on twelve days, the later agents have fewer. Some latencies are negative. */
export async function sendTwentyAgents(client: Client): Promise<void> {
  for (const [at, name] of TWENTY_AGENTS.entries())
    for (let day = 0; day < DAYS; day++) {
      if ((at + day) % 7 === 6) continue;
      const request = liveKitRequest(at * 100 + day, {
        spans: 120,
        conversations: at < 3 ? 4 : 2,
        startMs: Date.now() - day * DAY_MS - 3_600_000,
      });
      for (const { resource } of request.resourceSpans!) resource!.attributes!.push(attribute("svc.agent_name", name));
      await client.traces.ingest({ body: encodeProtobuf(request), contentType: "application/x-protobuf" });
    }
}
