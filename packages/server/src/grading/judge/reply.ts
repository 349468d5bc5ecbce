import { z } from "zod";

const Shape = z.strictObject({
  requirement: z.string(),
  evidence: z.array(z.strictObject({ turn: z.int().min(0), quote: z.string() })).max(50),
  reasoning: z.string(),
  status: z.enum(["pass", "fail", "inconclusive"]),
  confidence: z.number().min(0).max(1),
});

export type JudgeReply = z.output<typeof Shape>;

/** Requirement and evidence precede the status, because a model that decides first looks for reasons afterwards. */
export const REPLY_SCHEMA: { name: string; schema: Record<string, unknown> } = {
  name: "judgement",
  schema: {
    type: "object",
    properties: {
      requirement: { type: "string" },
      evidence: {
        type: "array",
        items: {
          type: "object",
          properties: { turn: { type: "integer" }, quote: { type: "string" } },
          required: ["turn", "quote"],
          additionalProperties: false,
        },
      },
      reasoning: { type: "string" },
      status: { type: "string", enum: ["pass", "fail", "inconclusive"] },
      confidence: { type: "number" },
    },
    required: ["requirement", "evidence", "reasoning", "status", "confidence"],
    additionalProperties: false,
  },
};

/** Reads the judge's JSON object, which may be in a code fence but not among other text; returns the problem otherwise. */
export function readReply(text: string): JudgeReply | { problem: string } {
  const json = /^\s*```(?:json)?\s*\n([^]*)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { problem: "It is not JSON." };
  }
  const read = Shape.safeParse(value);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  return { problem: `${path.join(".") || "the object"}: ${message}` };
}
