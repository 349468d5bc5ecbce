import type { Asked } from "./fake-endpoint.ts";

type Reply = {
  requirement: string;
  evidence: { turn: number; quote: string }[];
  reasoning: string;
  status: "pass" | "fail" | "inconclusive";
  confidence: number;
};

export const judgement = (status: Reply["status"], rest: Partial<Reply> = {}): string =>
  JSON.stringify({
    requirement: "The agent does it.",
    evidence: [],
    reasoning: `It is ${status}.`,
    status,
    confidence: 0.95,
    ...rest,
  });

/** Returns the last message to the model. */
export const lastPrompt = ({ body }: Asked): string => body.messages.at(-1)!.content;

const FENCE = /^(=====.*=====)\n[^]*?\n\1$/gm;

/** Returns the part of a prompt outside its fences. */
export const outsideFences = (prompt: string): string => prompt.replace(FENCE, "(data)");

/** Returns a model that obeys any instruction outside the fences. */
export const gullible = (asked: Asked): string =>
  judgement(/answer pass|status.{1,5}pass/i.test(outsideFences(lastPrompt(asked))) ? "pass" : "fail");

/** Returns the lines of the record in a prompt. */
export const recordLines = (prompt: string): string[] =>
  /turn:\n(=====.*=====)\n([^]*?)\n\1/.exec(prompt)?.[2]?.split("\n") ?? [];
