import { z } from "zod";

const Item = z.strictObject({
  behavior: z.string(),
  requirement: z.string(),
  evidence: z
    .array(
      z.strictObject({
        turn: z.int().min(0),
        speaker: z.enum(["agent", "caller", "tool"]),
        quote: z.string().max(2_000),
      }),
    )
    .max(20),
  reasoning: z.string(),
  status: z.enum(["pass", "fail", "inconclusive"]),
  confidence: z.number(),
});

export type JudgeReply = z.output<typeof Item>;

const strict = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/**
 * JSON schema of a reply. In it, the requirement and the evidence come before the status, because a model that states its verdict first
 * only justifies it afterwards.
 */
export const REPLY_SCHEMA: { name: string; schema: Record<string, unknown> } = {
  name: "judgements",
  schema: strict({
    judgements: {
      type: "array",
      items: strict({
        behavior: { type: "string" },
        requirement: { type: "string" },
        evidence: {
          type: "array",
          items: strict({
            turn: { type: "integer" },
            speaker: { type: "string", enum: ["agent", "caller", "tool"] },
            quote: { type: "string" },
          }),
        },
        reasoning: { type: "string" },
        status: { type: "string", enum: ["pass", "fail", "inconclusive"] },
        confidence: { type: "number" },
      }),
    },
  }),
};

type Problem = { problem: string };

/** Reads a reply of the judge. The JSON object may be inside a code fence, but not among other text. Answers to other ids are ignored. */
export function readReply(text: string, ids: readonly string[]): Map<string, JudgeReply | Problem> | Problem {
  const json = /^\s*```(?:json)?\s*\n([^]*)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { problem: "The answer was not JSON." };
  }
  if (keysIn(json) !== membersOf(value)) return { problem: "The answer repeats a member of an object." };
  const list = z.strictObject({ judgements: z.array(z.unknown()).max(1_000) }).safeParse(value);
  if (!list.success) return { problem: 'The answer was not an object with the one member "judgements".' };
  const byId = Map.groupBy(list.data.judgements, idOf);
  return new Map(ids.map((id) => [id, itemOf(byId.get(id) ?? [])]));
}

/** Counts the keys in a JSON text. Repeated keys count, although a parser keeps only the last of them. */
const keysIn = (json: string): number =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;

function membersOf(value: unknown): number {
  let members = 0;
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each !== "object" || each === null) continue;
    if (!Array.isArray(each)) members += Object.keys(each).length;
    for (const inner of Object.values(each)) open.push(inner);
  }
  return members;
}

const idOf = (item: unknown): unknown =>
  typeof item === "object" && item !== null && "behavior" in item ? item.behavior : null;

function itemOf(items: readonly unknown[]): JudgeReply | Problem {
  if (items.length === 0) return { problem: "The answer had no item for this behavior." };
  if (items.length > 1) return { problem: "The answer had several items for this behavior." };
  const read = Item.safeParse(items[0]);
  if (read.success) return read.data;
  // The text names only the place and the kind of the fault, because the message of the error may repeat words of the conversation.
  const { path, code } = read.error.issues[0]!;
  return { problem: `The item has a fault in ${path.join(".") || "its members"} (${code}).` };
}
