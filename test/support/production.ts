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

/** Waits until the conversations have readings. */
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
