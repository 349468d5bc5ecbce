import { describe, expect, test } from "vitest";
import { isComplete, readCall } from "../../packages/server/src/monitoring/platform-a/call.ts";
import { aCall, ongoing, type Wire, type WireCall, withheld, withoutTranscript } from "../support/platform-a/calls.ts";

const made = (members: Wire = {}): WireCall =>
  aCall({ seed: 1, agentId: "agent_1", startMs: 1_795_251_153_000, exchanges: 6, members });

describe("a call", () => {
  const complete = (call: Wire) => isComplete(readCall(call)!);
  test.each<[boolean, string, Wire]>([
    [true, "is complete when it has ended and has its transcript", made()],
    [true, "is complete before it has its analysis", made({ call_analysis: undefined })],
    [false, "is not complete while it is ongoing", ongoing(made())],
    [false, "is not complete while its transcript is missing", withoutTranscript(made())],
    [true, "is complete without a transcript when the platform stores no content", withheld(made())],
    [
      true,
      "is complete without a transcript when no one was reached",
      { ...withoutTranscript(made()), call_status: "not_connected" },
    ],
    [
      true,
      "is complete without a transcript when no one picked up",
      { ...withoutTranscript(made()), disconnection_reason: "dial_no_answer" },
    ],
    [
      true,
      "is complete with an empty scrubbed transcript",
      {
        ...withoutTranscript(made()),
        data_storage_setting: "everything_except_pii",
        scrubbed_transcript_with_tool_calls: [],
      },
    ],
    [
      true,
      "is complete without a transcript when the platform stores only data that is not personal",
      { ...withoutTranscript(made()), data_storage_setting: "everything_except_pii" },
    ],
    [false, "is not complete without any time", made({ start_timestamp: undefined, end_timestamp: undefined })],
    [false, "is not complete with an unknown status", made({ call_status: "paused" })],
  ])("(%s) a call %s", (expected, _, call) => {
    expect(complete(call)).toBe(expected);
  });
});
