import type { Trace } from "@svc/contract";
import { CALL_RATE, FULL_SCALE } from "../../../packages/server/src/voice/audio/audio.ts";
import { stereoWavOf, wavOf } from "../../../packages/server/src/voice/audio/wav-writing.ts";
import type { WireCall } from "../../support/platform-a/calls.ts";
import type { TestServer } from "../../support/server.ts";

/** Returns a recording of a conversation, with hums of changing loudness where somebody speaks. */
export function soundOfTrace({ startedAt, speech, durationMs }: Trace): Buffer {
  const startMs = Date.parse(startedAt);
  const ends = speech.map(({ endedAt }) => Date.parse(endedAt) - startMs);
  const length = Math.ceil((Math.max(durationMs ?? 0, ...ends) * CALL_RATE) / 1_000);
  const sides = { user: new Int16Array(length), agent: new Int16Array(length), third_party: new Int16Array(length) };
  for (const { role, startedAt: from, endedAt: to } of speech) {
    const [first, last] = [from, to].map((time) => Math.round(((Date.parse(time) - startMs) * CALL_RATE) / 1_000));
    for (let at = Math.max(0, first!); at < Math.min(length, last!); at++) {
      const seconds = at / CALL_RATE;
      const loudness = 0.12 + 0.25 * Math.abs(Math.sin(seconds * 5)) * Math.abs(Math.cos(seconds * 1.7));
      sides[role][at] = Math.round(
        FULL_SCALE * loudness * Math.sin(seconds * 2 * Math.PI * (role === "user" ? 190 : 130)),
      );
    }
  }
  return stereoWavOf(sides.user, sides.agent, CALL_RATE);
}

type SpokenItem = { words?: { start: number; end: number }[] };

/** Returns the platform's recording of a call, in which both sides are mixed: hums at the time of each word. */
export function soundOfCall({ transcript_object, duration_ms }: WireCall): Buffer {
  const rate = 8_000;
  const samples = new Int16Array(Math.ceil(((duration_ms as number) * rate) / 1_000));
  for (const [index, { words = [] }] of (transcript_object as SpokenItem[]).entries()) {
    for (const { start, end } of words) {
      for (let at = Math.round(start * rate); at < Math.min(samples.length, end * rate); at++) {
        const swell = Math.sin((Math.PI * (at / rate - start)) / (end - start));
        samples[at] = Math.round(
          FULL_SCALE * 0.4 * swell * Math.sin((at / rate) * 2 * Math.PI * (130 + 50 * (index % 2))),
        );
      }
    }
  }
  return wavOf({ samples, rate });
}

/** Gives a conversation a recording, and returns its summary. */
export async function keepSound({ client, project, keepRecording }: TestServer, traceId: string, bytes?: Buffer) {
  const trace = await client.traces.get({ traceId });
  await keepRecording({ projectId: project.id, simulationId: traceId, bytes: bytes ?? soundOfTrace(trace) });
  return { trace, recording: (await client.recordings.ofConversation({ traceId })).recording! };
}
