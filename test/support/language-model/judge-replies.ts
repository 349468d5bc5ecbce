import type { Asked } from "./fake-endpoint.ts";

type Quote = { turn: number; speaker: "agent" | "caller" | "tool"; quote: string };

type Item = {
  behavior: string;
  requirement: string;
  evidence: Quote[];
  reasoning: string;
  status: "pass" | "fail" | "inconclusive";
  confidence: number;
};

type PartialItem = Partial<Omit<Item, "evidence">> & { evidence?: (Omit<Quote, "speaker"> & Partial<Quote>)[] };

/** A behavior in a question to the judge. */
type AskedBehavior = { id: string; behavior: string };

/** Returns the behaviors of a question, in its order. */
export const askedBehaviors = (asked: Asked): AskedBehavior[] =>
  [...lastPrompt(asked).matchAll(/^- (b\w+): (".*")$/gm)].map(([, id, behavior]) => ({
    id: id!,
    behavior: JSON.parse(behavior!) as string,
  }));

/** Returns the judge's item about one behavior. A quote without a speaker counts as a quote of the agent. */
export const itemOf = (id: string, status: Item["status"], { evidence = [], ...rest }: PartialItem = {}): Item => ({
  behavior: id,
  requirement: "The agent does it.",
  evidence: evidence.map((quote) => ({ speaker: "agent", ...quote })),
  reasoning: `It is ${status}.`,
  status,
  confidence: 0.95,
  ...rest,
});

export const replyOf = (items: readonly unknown[]): string => JSON.stringify({ judgements: items });

/** Returns a model that decides each behavior by its function. */
export const decides =
  (decide: (behavior: string, asked: Asked) => { status: Item["status"] } & PartialItem) =>
  (asked: Asked): string =>
    replyOf(
      askedBehaviors(asked).map(({ id, behavior }) => {
        const { status, ...rest } = decide(behavior, asked);
        return itemOf(id, status, rest);
      }),
    );

/** Returns a model that gives every behavior the same judgement. */
export const judgement = (status: Item["status"], rest: PartialItem = {}) => decides(() => ({ status, ...rest }));

/** Returns the last message to the model. */
export const lastPrompt = ({ body }: Asked): string => body.messages.at(-1)!.content;

const FENCE = /^(=====.*=====)\n[^]*?\n\1$/gm;

/** Returns the part of a prompt outside its fences. */
export const outsideFences = (prompt: string): string => prompt.replace(FENCE, "(data)");

/** Returns a model that obeys any instruction outside the fences. */
export const gullible = (asked: Asked): string =>
  judgement(/answer pass|status.{1,5}pass/i.test(outsideFences(lastPrompt(asked))) ? "pass" : "fail")(asked);

/** Returns the lines of the conversation in a prompt for the judge. */
export const recordLines = (prompt: string): string[] =>
  /turn:\n(=====.*=====)\n([^]*?)\n\1/.exec(prompt)?.[2]?.split("\n") ?? [];

/** Returns a model that passes every behavior and quotes the agent's first line with three words or more. */
export const passesWithProof = (asked: Asked): string => {
  const line = recordLines(lastPrompt(asked)).find((text) => /^\[\d+\] agent.*?: \S+\s+\S+\s+\S/.test(text));
  const [, turn, quote] = /^\[(\d+)\] agent.*?: (.*)$/.exec(line ?? "[0] agent: ") ?? [];
  return judgement("pass", { evidence: [{ turn: Number(turn), quote: quote! }] })(asked);
};
