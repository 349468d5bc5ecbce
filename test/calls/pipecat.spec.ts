import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FRAME_MS } from "../../packages/server/src/voice/audio/audio.ts";
import type { CallEvent } from "../../packages/server/src/voice/calls/call.ts";
import { createPlayout } from "../../packages/server/src/voice/calls/lines/playout.ts";
import { readStreamMessage } from "../../packages/server/src/voice/calls/lines/stream-messages.ts";
import { createTurnTaker } from "../../packages/server/src/voice/calls/media/turn-taking.ts";

const FIXTURE = "test/fixtures/calls/pipecat-1.14.0-media-stream.jsonl.gz";
const CALL_MS = 27_000;

/** Returns the events of a call in which the agent sends the fixture's messages at their times. */
function eventsOf(lines: readonly { atMs: number; message: object }[]): CallEvent[] {
  const playout = createPlayout("mulaw_8k");
  const turns = createTurnTaker({ endOfTurnMs: 700, patienceMs: 60_000, interruptAfterMs: [null] }, false);
  const events: CallEvent[] = [];
  const waiting = [...lines];
  for (let nowMs = 0; nowMs < CALL_MS; nowMs += FRAME_MS) {
    while (waiting[0] && waiting[0].atMs <= nowMs) {
      const message = readStreamMessage(JSON.stringify(waiting.shift()!.message), "mulaw_8k");
      if (message.event === "media") playout.push(message.payload);
      if (message.event === "clear") playout.clear();
    }
    events.push(...turns.next(playout.next(), false, false));
  }
  return events;
}

test("the stream of a real Pipecat agent has its five turns, and `clear` cuts off those that the caller interrupted", () => {
  const text = gunzipSync(readFileSync(FIXTURE)).toString("utf8").trim();
  const lines = text.split("\n").map((line) => JSON.parse(line) as { atMs: number; message: { event: string } });
  const clears = lines.filter(({ message }) => message.event === "clear").map(({ atMs }) => atMs);
  const stopped = eventsOf(lines).filter((event) => event.kind === "agent_stopped");
  expect(stopped).toHaveLength(5);
  const cutOff = stopped.filter(({ atMs }) => clears.some((clearMs) => Math.abs(atMs - clearMs) <= 50));
  expect(cutOff.map(({ startedMs, atMs }) => atMs - startedMs).every((ms) => ms > 1_000 && ms < 2_500)).toBe(true);
  expect(cutOff).toHaveLength(3);
});
