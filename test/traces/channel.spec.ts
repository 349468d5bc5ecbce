import { type Channel, CHANNELS, CONNECTION_TYPES } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { callToSpans } from "../../packages/server/src/monitoring/platform-a/to-spans.ts";
import { channelOf } from "../../packages/server/src/traces/conversation/channel.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { captureSets, spansOfCapture, spansOfOtlp } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";

const read = (spans: StoredSpan[], isPart = false) => channelOf(spans, conversationOf(spans), isPart);

type Parts = Partial<Pick<StoredSpan, "name" | "attributes" | "events" | "scopeName">> & { at?: number };
const span = ({ at = 0, ...parts }: Parts, index = 0): StoredSpan =>
  storedSpan({ id: `${index}`, startMs: at, endMs: at + 1, ...parts });

const typed: Parts = { at: 5, name: "agent_turn", attributes: { "lk.speech_id": "s1", "lk.user_input": "Hello" } };
const spoken: Parts = { at: 5, name: "user_speaking" };
const kind = (name: string) => ({ "lk.participant_kind": name });
const simulated = (name: string, attributes: Record<string, unknown> = {}): Parts => ({
  name,
  scopeName: "svc.simulation",
  attributes,
});
const callerTurn = simulated("caller_turn", { "svc.turn.index": 0, "svc.turn.text": "Hello" });

describe("the channel of a conversation", () => {
  test.each<[string, Parts[], Channel | null]>([
    ["nothing but a span of a job", [{ name: "job_entrypoint" }], null],
    ["speech, with no word of where the caller was", [spoken], null],
    ["a typed session", [typed], "text"],
    ["a SIP attribute of Python", [spoken, { attributes: { "lk.sip.callID": "c" } }], "telephone"],
    ["a number in an attribute", [spoken, { attributes: { "lk.pii.sip.phoneNumber": "+4144" } }], "telephone"],
    ["a SIP attribute of the participant", [spoken, { attributes: { "sip.trunkID": "t" } }], "telephone"],
    ["an attribute that only begins like one", [spoken, { attributes: { "sipping.tea": 1 } }], null],
    ["a SIP call in which nobody spoke", [{ attributes: { "lk.sip.callID": "c" } }], "telephone"],
    ["a SIP call with a typed message", [typed, { attributes: { "lk.sip.callID": "c" } }], "telephone"],
    ["a participant over SIP, in Python", [{ ...spoken, attributes: kind("PARTICIPANT_KIND_SIP") }], "telephone"],
    ["a participant over SIP, in JavaScript", [{ ...spoken, attributes: kind("SIP") }], "telephone"],
    ["a participant of a room, in Python", [{ ...spoken, attributes: kind("PARTICIPANT_KIND_STANDARD") }], "room"],
    ["a participant of a room, in JavaScript", [{ ...spoken, attributes: kind("STANDARD") }], "room"],
    ["a kind of participant that shows no channel", [{ ...spoken, attributes: kind("CONNECTOR") }], null],
    ["a kind that is no text", [{ ...spoken, attributes: { "lk.participant_kind": 3 } }], null],
    ["a kind with a name of JavaScript's objects", [{ ...spoken, attributes: kind("constructor") }], null],
    [
      "only the agent as a participant",
      [spoken, { name: "agent_speaking", attributes: kind("PARTICIPANT_KIND_STANDARD") }],
      null,
    ],
    [
      "a participant of a room who types",
      [{ ...typed, attributes: { ...typed.attributes, ...kind("STANDARD") } }],
      "text",
    ],
    [
      "an event that links a participant",
      [{ events: [{ timeNs: 1n, name: "participant_linked", attributes: kind("STANDARD") }] }],
      "room",
    ],
    [
      "another event with a kind",
      [{ events: [{ timeNs: 1n, name: "participant_left", attributes: kind("STANDARD") }] }],
      null,
    ],
    [
      "a call in a room that is transferred to a telephone",
      [
        { at: 9, ...spoken, attributes: kind("SIP") },
        { ...spoken, at: 1, attributes: kind("STANDARD") },
      ],
      "room",
    ],
    [
      "a telephone call that a colleague joins in the room",
      [
        { ...spoken, at: 9, attributes: kind("STANDARD") },
        { ...spoken, at: 1, attributes: kind("SIP") },
      ],
      "telephone",
    ],
    [
      "both at the same time",
      [
        { ...spoken, at: 1, attributes: kind("STANDARD") },
        { ...spoken, at: 1, attributes: kind("SIP") },
      ],
      "telephone",
    ],
    ["a simulation of an earlier version, by text", [simulated("simulation"), callerTurn], "text"],
    ["a simulation of an earlier version in which nobody spoke", [simulated("simulation")], null],
    [
      "a simulation of an earlier version with sound",
      [simulated("simulation", { "svc.call.duration_ms": 9_000 }), callerTurn],
      null,
    ],
    [
      "a simulation of an earlier version with steps of SIP",
      [simulated("simulation"), simulated("svc.line.step", { "svc.line.step": "trying" })],
      "telephone",
    ],
    [
      "a connection type that this version does not know",
      [simulated("simulation", { "svc.connection_type": "pigeon" })],
      null,
    ],
    ["a connection type that a worker names", [{ ...spoken, attributes: { "svc.connection_type": "sip" } }], null],
  ])("%s", (_title, spans, channel) => {
    expect(read(spans.map(span))).toBe(channel);
    expect(read(spans.map(span).reverse())).toBe(channel);
  });

  test("a conversation of which spans are missing is not known to be typed", () => {
    expect(read([span(typed)], true)).toBe(null);
    expect(read([typed, { attributes: { "lk.sip.callID": "c" } }].map(span), true)).toBe("telephone");
  });

  test("a simulation has the channel of its connection, whatever the worker says", () => {
    const channelOver = (connectionType: string) =>
      read(
        [
          simulated("simulation", { "svc.connection_type": connectionType }),
          { ...spoken, attributes: kind(connectionType === "sip" ? "STANDARD" : "SIP") },
        ].map(span),
      );
    expect(Object.fromEntries(CONNECTION_TYPES.map((type) => [type, channelOver(type)]))).toEqual({
      platform_a_chat_api: "text",
      platform_a_web_call: "room",
      platform_b_room: "room",
      incoming_call: "telephone",
      phone_number: "telephone",
      platform_b_console: "text",
      http_chat: "text",
      websocket_audio: "telephone",
      sip: "telephone",
      sample_agent: "text",
    });
  });

  test.each<[unknown, Channel | null]>([
    ["phone_call", "telephone"],
    ["web_call", "room"],
    ["toString", null],
    ["a type of a later version", null],
    [undefined, null],
    [7, null],
  ])("Retell's call of the type %s", (call_type, channel) => {
    const call = readCall({ call_id: "c", agent_id: "a", call_status: "ended", start_timestamp: 1e12, call_type })!;
    expect(read(spansOfOtlp(callToSpans(call) as Parameters<typeof spansOfOtlp>[0]))).toBe(channel);
  });

  test("the recorded calls are typed or unknown: none of their workers had a caller in a room or on a telephone", () => {
    const typedSets = captureSets().filter((set) => /^(js|py)-.*-(text|worker)$/.test(set));
    expect(typedSets.length).toBeGreaterThan(4);
    for (const set of captureSets())
      expect([set, read(spansOfCapture(set))]).toEqual([set, typedSets.includes(set) ? "text" : null]);
  });

  test("no attributes make it throw or answer anything else", () => {
    const key = fc.constantFrom("lk.participant_kind", "lk.sip.callID", "svc.connection_type", "x");
    const spans = fc.array(
      fc.record({
        at: fc.nat(9),
        name: fc.constantFrom("simulation", "user_speaking", "agent_speaking"),
        scopeName: fc.constantFrom("svc.simulation", "livekit-agents", null),
        attributes: fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.constantFrom("SIP", "STANDARD", "sip"))),
      }),
    );
    fc.assert(
      fc.property(spans, (drawn) => {
        expect([...CHANNELS, null]).toContain(read(drawn.map(span)));
      }),
    );
  });
});
