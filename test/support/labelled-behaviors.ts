import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERDICTS } from "@svc/contract";
import { z } from "zod";
import { type Evidence, evidenceOf } from "../../packages/server/src/grading/evidence.ts";
import type { Conversation } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/labelled-behaviors/", import.meta.url));

const Turn = z.strictObject({
  speaker: z.enum(["caller", "agent"]),
  from: z.number(),
  to: z.number(),
  text: z.string().nullable(),
  interrupted: z.boolean().optional(),
  heardText: z.string().nullish(),
});

const Call = z.strictObject({
  name: z.string().nullable(),
  arguments: z.unknown(),
  result: z.unknown(),
  failed: z.boolean().nullish(),
  turn: z.number().nullable(),
  at: z.number(),
  durationMs: z.number().nullish(), // null when the end is not known
});

const Labelled = z.strictObject({
  behavior: z.string(),
  by: z.enum(["check", "judge"]),
  expected: z.enum(VERDICTS),
  why: z.string().optional(),
});

/** A conversation in a short form; all times are milliseconds. */
export const Sketch = z.strictObject({
  about: z.string(),
  modality: z.enum(["voice", "text"]),
  scenario: z.string().nullable(),
  persona: z.string().nullable(),
  ending: z
    .strictObject({ reason: z.string(), by: z.enum(["agent", "caller", "limit", "service", "outside", "canceled"]) })
    .nullable(),
  complete: z.boolean().default(true),
  toolsVisible: z.boolean().default(true),
  knownTools: z.strictObject({ names: z.array(z.string()), all: z.boolean() }).nullish(),
  turns: z.array(Turn),
  toolCalls: z.array(Call).default([]),
  behaviors: z.array(Labelled).default([]),
});
export type Sketch = z.input<typeof Sketch>;

type LabelledBehavior = z.output<typeof Labelled> & { file: string; evidence: Evidence };

export function labelledBehaviors(): LabelledBehavior[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const sketch = Sketch.parse(JSON.parse(readFileSync(FOLDER + file, "utf8")));
      return sketch.behaviors.map((labelled) => ({ ...labelled, file, evidence: evidenceFrom(sketch) }));
    });
}

/** Returns the evidence of a short form, with the measures of a real conversation. */
export function evidenceFrom(sketch: Sketch): Evidence {
  const { scenario, persona, ending, complete, toolsVisible, knownTools, ...said } = Sketch.parse(sketch);
  const conversation = conversationFrom(said);
  return evidenceOf(conversation, measuresOf(conversation), {
    ending,
    complete,
    toolsVisible,
    knownTools: knownTools ?? null,
    modality: null,
    scenario,
    persona,
    date: "2026-06-05",
    mockedTools: new Set(said.toolCalls.flatMap(({ name }) => name ?? [])),
  });
}

const ns = (ms: number) => BigInt(Math.round(ms * 1e6));

function conversationFrom({
  modality,
  turns,
  toolCalls,
}: Pick<z.output<typeof Sketch>, "modality" | "turns" | "toolCalls">) {
  const speech = turns.map(({ speaker, from, to }, turnIndex) => ({
    speaker,
    stretch: { startNs: ns(from), endNs: ns(to), turnIndex, spanId: `speech ${turnIndex}` },
  }));
  const speechOf = (speaker: "caller" | "agent") =>
    modality === "text" ? [] : speech.filter((each) => each.speaker === speaker).map(({ stretch }) => stretch);
  const conversation: Conversation = {
    vocabulary: "platform_b",
    generation: null,
    modality,
    session: { startNs: ns(0), endNs: ns(turns.at(-1)?.to ?? 0) },
    timing: undefined,
    callReport: undefined,
    unspokenTurns: [],
    turns: turns.map(({ speaker, from, to, text, interrupted, heardText }, index) => ({
      index,
      role: speaker === "caller" ? "user" : "agent",
      text,
      startNs: ns(from),
      endNs: ns(to),
      interrupted: speaker === "agent" ? (interrupted ?? false) : null,
      heardText: heardText ?? null,
      agentName: null,
      speechId: null,
      confidence: null,
      spanIds: [],
    })),
    toolCalls: toolCalls.map((call, place) => ({
      id: null,
      name: call.name,
      arguments: call.arguments ?? null,
      result: call.result ?? null,
      isError: call.failed === undefined ? false : call.failed,
      startNs: ns(call.at),
      endNs: call.durationMs === null ? null : ns(call.at + (call.durationMs ?? 50)),
      turnIndex: call.turn,
      spanId: `call ${place}`,
    })),
    userSpeech: speechOf("caller"),
    agentSpeech: speechOf("agent"),
    thirdPartySpeech: [],
    modelCalls: [],
    speechCalls: [],
    turnReports: [],
    quality: { language: null, unitsInferred: [], unmappedKeys: [] },
  };
  return conversation;
}
