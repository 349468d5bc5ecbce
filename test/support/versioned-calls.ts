import type { Client } from "@svc/sdk";
import { requestOf, spanOf } from "./ingest.ts";
import { type OtlpAttribute, encodeProtobuf, type OtlpRequest } from "./otlp.ts";
import type { TestServer } from "./server.ts";

const text = (key: string, stringValue: string): OtlpAttribute => ({ key, value: { stringValue } });

export type VersionedCall = {
  trace: number;
  agent?: string;
  /** The attribute `service.version` of the spans; null when they lack it. */
  version: string | null;
  startMs: number;
  latencyMs?: number[];
  /** For each tool call, whether it failed. */
  tools?: boolean[];
  fails?: boolean;
  says?: string;
  resource?: OtlpAttribute[];
  /** Attributes of the root span. */
  root?: OtlpAttribute[];
};

/** Returns the export of a call of a worker whose resource has a version. */
export function versionedCall(call: VersionedCall): OtlpRequest {
  const { trace, agent = "Hotel", version, startMs, latencyMs = [500], tools = [], fails = false } = call;
  const { says = "Yes.", resource = [], root: ofRoot = [] } = call;
  const job = text("lk.job_id", `call ${trace}`);
  const times = (atMs: number, lengthMs: number) => ({
    startTimeUnixNano: `${startMs + atMs}000000`,
    endTimeUnixNano: `${startMs + atMs + lengthMs}000000`,
  });
  const root = spanOf(trace, 0, {
    name: "job_entrypoint",
    ...times(0, 100_000),
    attributes: [job, text("gen_ai.agent.name", agent), ...ofRoot],
    ...(fails && { status: { code: 2 } }),
  });
  const turns = latencyMs.flatMap((latency, at) => [
    spanOf(trace, 10 + 2 * at, {
      name: "user_turn",
      ...times(1_000 + at * 4_000, 900),
      attributes: [job, text("lk.user_transcript", "A room, please.")],
    }),
    spanOf(trace, 11 + 2 * at, {
      name: "agent_turn",
      ...times(2_000 + at * 4_000, 1_000),
      attributes: [
        job,
        { key: "lk.e2e_latency", value: { doubleValue: latency / 1_000 } },
        text("lk.response.text", says),
      ],
    }),
  ]);
  const calls = tools.map((failed, at) =>
    spanOf(trace, 500 + at, {
      name: "function_tool",
      ...times(3_000 + at * 10, 5),
      attributes: [
        job,
        text("lk.function_tool.name", "book"),
        { key: "lk.function_tool.is_error", value: { boolValue: failed } },
      ],
    }),
  );
  const request = requestOf([root, ...turns, ...calls]);
  const [spans] = request.resourceSpans!;
  const attributes = [...(version === null ? [] : [text("service.version", version)]), ...resource];
  return { resourceSpans: [{ ...spans, resource: { attributes } }] };
}

/** Sends calls and waits until they are read. */
export async function sendCalls(
  server: Pick<TestServer, "conversationsRead">,
  client: Client,
  calls: readonly VersionedCall[],
): Promise<void> {
  const PER_BODY = 200;
  for (let from = 0; from < calls.length; from += PER_BODY) {
    const resourceSpans = calls.slice(from, from + PER_BODY).flatMap((call) => versionedCall(call).resourceSpans!);
    await client.traces.ingest({ body: encodeProtobuf({ resourceSpans }), contentType: "application/x-protobuf" });
  }
  await server.conversationsRead();
}
