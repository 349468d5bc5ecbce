import { randomBytes } from "node:crypto";
import type { Alert } from "@svc/contract";
import { readyAlertRule } from "@svc/contract/constants";
import type { Client } from "@svc/sdk";
import { waitFor } from "./wait-for.ts";

const AGENT = "Sample worker";
const WINDOW_MINUTES = 15;
const WINDOW_MS = WINDOW_MINUTES * 60_000;
const WINDOWS = 8;
const CALLS_PER_WINDOW = 12;
/** Time that the service waits after the end of a window for late conversations, before it judges the window. */
const SETTLE_MS = 60_000;

const TURNS = [
  ["Hello, do you have a double room on Friday?", "Yes, for 120 euros a night."],
  ["Does that include breakfast?", "It does, from seven to ten."],
  ["Then please book it for Ana Silva.", "It is booked. You get a message in a minute."],
] as const;

/**
 * Sends made-up production calls of the last two hours by OTLP, as a worker would. The answers in the last quarter of an hour are
 * slow, because a search is slow.
 */
export async function sendSampleCalls(client: Client): Promise<Alert | undefined> {
  const endMs = Math.floor((Date.now() - SETTLE_MS) / WINDOW_MS) * WINDOW_MS;
  const calls = Array.from({ length: WINDOWS * CALLS_PER_WINDOW }, (_, n) => {
    const window = Math.floor(n / CALLS_PER_WINDOW);
    const place = (n % CALLS_PER_WINDOW) / CALLS_PER_WINDOW;
    return callSpans(endMs - (WINDOWS - window - place) * WINDOW_MS, n, window === WINDOWS - 1);
  });
  const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: calls.flat() }] }] }));
  await client.traces.ingest({ body, contentType: "application/json" });

  const areRead = await waitFor(async () => {
    const { traces } = await client.traces.list({ source: "production", pageSize: calls.length });
    return traces.length === calls.length && traces.every(({ state }) => state === "final");
  });
  if (!areRead) return undefined;
  const rule = { ...readyAlertRule("slow-answers", [AGENT]), windowMinutes: WINDOW_MINUTES } as const;
  const { alertRule } = await client.alertRules.create(rule);
  return waitFor(async () => (await client.alerts.list({ alertRuleId: alertRule.id })).alerts[0]);
}

function callSpans(startMs: number, serial: number, isSlow: boolean) {
  const job = { "lk.job_id": `sample-${serial}`, "gen_ai.agent.name": AGENT };
  const traceId = randomBytes(16).toString("hex");
  const spans: object[] = [];

  function add(name: string, [fromMs, toMs]: readonly [number, number], parent: string | undefined, more = {}): string {
    const spanId = randomBytes(8).toString("hex");
    const [startTimeUnixNano, endTimeUnixNano] = [fromMs, toMs].map((ms) => `${Math.round(startMs + ms)}000000`);
    const attributes = Object.entries<string | number>({ ...job, ...more }).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { doubleValue: value } : { stringValue: value },
    }));
    spans.push({ traceId, spanId, parentSpanId: parent, name, startTimeUnixNano, endTimeUnixNano, attributes });
    return spanId;
  }

  const call = add("job_entrypoint", [0, TURNS.length * 12_000], undefined);
  for (const [turn, [asked, answered]] of TURNS.entries()) {
    const latencyMs = (isSlow ? 2_300 : 700) + ((serial * 7 + turn * 11) % 17) * 30;
    const askedMs = turn * 12_000;
    const endedMs = askedMs + 2_500;
    const answersMs = endedMs + latencyMs;
    add("user_turn", [askedMs, endedMs], call, { "lk.user_transcript": asked });
    const said = { "lk.e2e_latency": latencyMs / 1_000, "lk.response.text": answered };
    const answer = add("agent_turn", [endedMs, answersMs + 3_000], call, said);
    const search = { "lk.function_tool.name": "find_room", "lk.function_tool.output": '{"free": true}' };
    if (turn === 0) add("function_tool", [endedMs + 100, answersMs - 300], answer, search);
  }
  return spans;
}
