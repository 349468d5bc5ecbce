import type { CallLine, ConnectionTry } from "@svc/contract";
import { expect, test } from "vitest";
import { tryText } from "../../packages/cli/src/agents/connection-try.ts";
import { lineLines } from "../../packages/cli/src/traces/line-text.ts";

const at = (ms: number) => new Date(Date.UTC(2026, 10, 26, 12) + ms).toISOString();
const LINE: CallLine = {
  steps: [
    { step: "invited", at: at(0), by: "caller", status: null },
    { step: "ringing", at: at(12), by: "agent", status: 180 },
    { step: "answered", at: at(1_250), by: "agent", status: 200 },
    { step: "ended", at: at(16_250), by: "outside", status: null },
  ],
  codec: "PCMA",
  received: { packets: 198, lost: 2, late: 0, jitterMs: 1.25, jitterMaxMs: 9 },
  sent: { packets: 1, lost: null, late: null, jitterMs: null, jitterMaxMs: null },
  roundTripMs: 30.04,
  condition: {
    name: "mobile",
    toAgent: { packets: 200, lost: 3, late: 1 },
    fromAgent: { packets: 200, lost: 0, late: 0 },
  },
  estimatedMos: 3.87,
};

test("the signalling of a call is printed with times and sides, and says which packets are unknown", () => {
  expect(lineLines(LINE)).toEqual([
    "     0 ms  caller → called",
    "    12 ms  agent  ← rings (180)",
    "  1250 ms  agent  ← answered (200)",
    " 16250 ms  line   × nothing arrived any more",
    "received  198 packets, 2 lost (1.0%), 0 late, jitter 1.3 ms, at most 9.0 ms",
    "sent      1 packet, losses not reported, jitter unknown",
    "line      PCMA, round trip 30.0 ms, MOS 3.87, estimated",
    "bad line  mobile, to the agent 3 of 200 packets lost, 1 too late (2.0%)",
    "          from the agent 0 of 200 packets lost, 0 too late (0.0%)",
  ]);
});

test("a call that came to nothing has no packets, and a connection without signalling prints nothing of it", () => {
  const refused = {
    ...LINE,
    condition: null,
    codec: null,
    received: null,
    sent: null,
    roundTripMs: null,
    estimatedMos: null,
  };
  expect(lineLines(refused).slice(4)).toEqual(["received  no packet", "sent      no packet"]);
  expect(lineLines(null)).toEqual([]);
  expect(lineLines({ ...LINE, condition: null, steps: [] })).toEqual([]);
  expect(lineLines({ ...LINE, steps: [] })).toEqual([expect.stringMatching(/^bad line {2}mobile/), expect.any(String)]);
});

test("a try prints the signalling below its steps", () => {
  const tried: ConnectionTry = {
    result: "fails",
    message: "It fails.",
    endingReason: "media_unreachable",
    endedBy: "outside",
    steps: [],
    turns: [],
    toolCalls: [],
    sound: null,
    line: LINE,
    openConversation: null,
    startedAt: at(0),
    durationMs: 1,
  };
  expect(tryText(tried).split("\n").slice(1)).toEqual(lineLines(LINE, "  "));
});
