import type { MeasureName } from "@svc/contract";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { Measure } from "../../packages/server/src/traces/measures/measure.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { storedSpan } from "./stored-span.ts";

/** Returns the measures of a conversation by name. */
export function measured(spans: readonly StoredSpan[]): Record<MeasureName, Measure> {
  const measures = measuresOf(conversationOf(spans)).map((measure) => [measure.name, measure]);
  return Object.fromEntries(measures) as Record<MeasureName, Measure>;
}

/** Returns a measure's raw values rounded to thousandths, or the reason if it is unavailable. */
export const valuesOf = ({ samples, reason }: Measure): number[] | string =>
  reason ?? samples.map(({ value }) => Math.round(value * 1000) / 1000);

type Attributes = Record<string, unknown>;

// The following functions create the spans of a platform_b call. All times are in milliseconds.
export const session = (endMs: number | null = 60_000) => storedSpan({ id: "session", name: "agent_session", endMs });

export const userTurn = (id: string, startMs: number, endMs: number, attributes: Attributes = {}) =>
  storedSpan({
    id,
    name: "user_turn",
    parent: "session",
    startMs,
    endMs,
    attributes: { "lk.pii.user_transcript": "Hello there", "lk.transcript_confidence": 1, ...attributes },
  });

export const agentTurn = (id: string, startMs: number, endMs: number, attributes: Attributes = {}) =>
  storedSpan({
    id,
    name: "agent_turn",
    parent: "session",
    startMs,
    endMs,
    attributes: { "lk.speech_id": id, "lk.interrupted": false, "lk.pii.response.text": "one two three", ...attributes },
  });

export const child = (name: string, parent: string, startMs: number, endMs: number, attributes: Attributes = {}) =>
  storedSpan({ id: `${name} ${parent} ${startMs}`, name, parent, startMs, endMs, attributes });

export const userSpeaks = (turn: string, startMs: number, endMs: number) =>
  child("user_speaking", turn, startMs, endMs);

export const agentSpeaks = (turn: string, startMs: number, endMs: number) =>
  child("agent_speaking", turn, startMs, endMs);

/** A user turn with speech from 1 s to 2 s. In `answered`, the agent's audio lasts from 2.7 s to 5.7 s. */
export const asked = [userTurn("u", 1000, 2200), userSpeaks("u", 1000, 2000)];
export const answered = [agentTurn("a", 2200, 5700), agentSpeaks("a", 2700, 5700)];
