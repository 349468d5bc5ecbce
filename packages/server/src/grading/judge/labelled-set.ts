import { z } from "zod";
import type { Evidence } from "../evidence.ts";
import set from "./labelled-set.json" with { type: "json" };

/** A behavior with the verdict that people gave. Turns are numbered from 0. */
export type LabelledBehavior = { behavior: string; label: "passed" | "failed"; why: string };

export type LabelledConversation = { id: string; evidence: Evidence; behaviors: LabelledBehavior[] };

export type LabelledSet = { version: string; conversations: LabelledConversation[] };

const Turn = z.strictObject({
  speaker: z.enum(["caller", "agent"]),
  text: z.string(),
  startMs: z.number(),
  endMs: z.number(),
  interrupted: z.boolean(),
});

const ToolCall = z.strictObject({
  name: z.string(),
  arguments: z.unknown(),
  result: z.unknown(),
  outcome: z.enum(["ok", "error"]),
  turn: z.int().min(0),
  startMs: z.number(),
});

const conversationShape = {
  id: z.string(),
  scenario: z.string(),
  persona: z.string(),
  date: z.iso.date(),
  modality: z.enum(["voice", "text"]),
  ending: z.strictObject({ reason: z.string(), by: z.enum(["agent", "caller", "limit"]) }),
  turns: z.array(Turn),
  toolCalls: z.array(ToolCall),
};

const Conversation = z.strictObject({
  ...conversationShape,
  behaviors: z.array(z.strictObject({ behavior: z.string(), label: z.enum(["passed", "failed"]), why: z.string() })),
});

/** Conversation that meets the behavior. When `changed` replaces the text of one turn, the conversation does not meet the behavior. */
const Pair = z.strictObject({
  ...conversationShape,
  behavior: z.string(),
  passes: z.string(),
  changed: z.strictObject({ turn: z.int().min(0), text: z.string() }),
  fails: z.string(),
});

const LabelledSetFile = z.strictObject({
  version: z.string(),
  conversations: z.array(Conversation),
  pairs: z.array(Pair),
});

/** Returns the conversations with labelled behaviors. Raise the version of the set with every change of its content. */
export function labelledSet(): LabelledSet {
  const { version, conversations, pairs } = LabelledSetFile.parse(set);
  return { version, conversations: [...conversations, ...pairs.flatMap(bothOf)].map(labelled) };
}

function bothOf({
  behavior,
  passes,
  changed,
  fails,
  ...common
}: z.output<typeof Pair>): z.output<typeof Conversation>[] {
  const turns = common.turns.map((turn, index) => (index === changed.turn ? { ...turn, text: changed.text } : turn));
  return [
    { ...common, id: `${common.id}-passes`, behaviors: [{ behavior, label: "passed", why: passes }] },
    { ...common, id: `${common.id}-fails`, turns, behaviors: [{ behavior, label: "failed", why: fails }] },
  ];
}

const labelled = ({
  id,
  behaviors,
  turns,
  toolCalls,
  ...rest
}: z.output<typeof Conversation>): LabelledConversation => ({
  id,
  behaviors,
  evidence: {
    ...rest,
    turns: turns.map((turn) => ({ ...turn, heardText: null })),
    toolCalls: toolCalls.map((call) => ({
      ...call,
      arguments: call.arguments ?? null,
      result: call.result ?? null,
      endMs: null,
      mocked: null,
    })),
    measures: {} as Evidence["measures"], // A judge sees no measure.
    partial: null,
    toolsVisible: true,
  },
});
