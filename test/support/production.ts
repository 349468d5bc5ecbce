import type { Grade } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { requestOf, spanOf, traceIdOf } from "./ingest.ts";
import { encodeProtobuf, type OtlpSpan } from "./otlp.ts";
import type { TestServer } from "./server.ts";
import { until } from "./until.ts";

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

/** Returns the export of a whole production conversation: the caller asks, the agent says these words. */
export function conversation(trace: number, said: string, { isOver = true } = {}): OtlpSpan[] {
  const job = text("lk.job_id", `job-${trace}`);
  return [
    ...(isOver ? [spanOf(trace, 0, { name: "job_entrypoint", attributes: [job] })] : []),
    spanOf(trace, 1, { name: "user_turn", attributes: [job, text("lk.user_transcript", "How are you?")] }),
    spanOf(trace, 2, { name: "agent_turn", attributes: [job, text("lk.response.text", said)] }),
  ];
}

type AnsweredCall = { agent: string; startMs: number; latencyMs: number; fails?: boolean; said?: string };

/** Returns the export of a call with one answer of this latency. With `fails`, the call has an error. */
export function answeredCall(
  trace: number,
  { agent, startMs, latencyMs, fails = false, said = "Yes." }: AnsweredCall,
): OtlpSpan[] {
  const job = text("lk.job_id", `call ${trace}`);
  const between = (fromMs: number, toMs: number) => ({
    startTimeUnixNano: `${startMs + fromMs}000000`,
    endTimeUnixNano: `${startMs + toMs}000000`,
  });
  const named = [job, text("gen_ai.agent.name", agent)];
  const latency = { key: "lk.e2e_latency", value: { doubleValue: latencyMs / 1_000 } };
  return [
    spanOf(trace, 0, {
      name: "job_entrypoint",
      ...between(0, 900),
      attributes: named,
      ...(fails && { status: { code: 2 } }),
    }),
    spanOf(trace, 1, {
      name: "user_turn",
      ...between(10, 90),
      attributes: [job, text("lk.user_transcript", "A room, please.")],
    }),
    spanOf(trace, 2, {
      name: "agent_turn",
      ...between(100, 800),
      attributes: [job, latency, text("lk.response.text", said)],
    }),
  ];
}

/** Sends spans, and waits until the service has derived the turns and measures of their conversations. */
export async function sendSpans(
  server: Pick<TestServer, "conversationsRead">,
  client: Client,
  spans: OtlpSpan[],
): Promise<void> {
  await client.traces.ingest({ body: encodeProtobuf(requestOf(spans)), contentType: "application/x-protobuf" });
  await server.conversationsRead();
}

export const gradesOf = async (client: Client, trace: number): Promise<Grade[]> =>
  (await client.grades.ofTrace({ traceId: traceIdOf(trace) })).grades;

/** Waits until the conversation has this many grades. */
export const graded = (client: Client, trace: number, count = 1): Promise<Grade[]> =>
  until(`${count} grades of ${trace}`, async () => {
    const grades = await gradesOf(client, trace);
    return grades.length >= count && grades;
  });
