import type { Channel } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { requestOf, spanOf } from "./ingest.ts";
import { attribute, encodeProtobuf, type OtlpAttribute } from "./otlp.ts";
import type { TestServer } from "./server.ts";
import { sendCalls, type VersionedCall } from "./versioned-calls.ts";

/** Call of a worker over a channel; null: its spans do not show the channel. */
export type ChannelCall = Omit<VersionedCall, "version" | "root"> & { channel: Channel | null };

const SHOWS: Record<"telephone" | "room", OtlpAttribute[]> = {
  telephone: [attribute("lk.sip.callID", "c")],
  room: [attribute("lk.participant_kind", "PARTICIPANT_KIND_STANDARD")],
};

/** Sends calls and waits until they are read. A typed call has one answer and no other value of the call. */
export async function sendChannelCalls(
  server: Pick<TestServer, "conversationsRead">,
  client: Client,
  calls: readonly ChannelCall[],
): Promise<void> {
  const typed = calls.filter(({ channel }) => channel === "text").flatMap(typedSpans);
  if (typed.length > 0)
    await client.traces.ingest({ body: encodeProtobuf(requestOf(typed)), contentType: "application/x-protobuf" });
  await sendCalls(
    server,
    client,
    calls.flatMap(({ channel, ...call }) =>
      channel === "text" ? [] : [{ ...call, version: null, root: channel === null ? [] : SHOWS[channel] }],
    ),
  );
}

function typedSpans({ trace, agent = "Hotel", startMs }: ChannelCall) {
  const job = attribute("lk.job_id", `call ${trace}`);
  const times = { startTimeUnixNano: `${startMs}000000`, endTimeUnixNano: `${startMs + 1_000}000000` };
  return [
    spanOf(trace, 0, { name: "job_entrypoint", ...times, attributes: [job, attribute("gen_ai.agent.name", agent)] }),
    spanOf(trace, 1, {
      name: "agent_turn",
      ...times,
      attributes: [
        job,
        attribute("lk.speech_id", "s1"),
        attribute("lk.user_input", "A room, please."),
        attribute("lk.response.text", "Yes."),
      ],
    }),
  ];
}
