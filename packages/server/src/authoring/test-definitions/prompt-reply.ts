import { cutText, operations, type PromptDraft, type PromptDrafts } from "@svc/contract";
import { z } from "zod";
import { readBehavior } from "../../grading/read-behavior.ts";

type Body = z.output<(typeof operations.tests.draftFromPrompt)["body"]>;

const SHOWN_CHARACTERS = 120;
const NAME_CHARACTERS = 60;
const NOTES_MAX = 50;

const texts = z.array(z.string()).catch([]);
/** The caller of a test, as the model writes it. */
export const Caller = z.object({
  name: z.string(),
  situation: z.string().catch(""),
  says: texts,
  facts: z.array(z.object({ name: z.string(), value: z.string() })).catch([]),
});
const Rule = z.object({ id: z.string(), quote: z.string() });
const Test = Caller.extend({
  behaviors: texts,
  mocks: z.array(z.object({ tool: z.string(), answer: z.string() })).catch([]),
  rules: texts,
});
const Reply = z.object({ rules: z.array(z.unknown()), tests: z.array(z.unknown()) });

/**
 * Reads the answer of the model. Keeps only rules whose words are in the prompt, and only drafts that could be created as tests. Returns
 * undefined when the answer is not of the asked form at all.
 */
export function readPromptReply(text: string, body: Body): Omit<PromptDrafts, "model" | "usage"> | undefined {
  const reply = Reply.safeParse(parsed(text));
  if (!reply.success) return undefined;
  const notes: string[] = [];
  const known = knownFrom(body);

  const rules = new Map<string, { quote: string; tests: string[] }>();
  for (const rule of ofForm(Rule, reply.data.rules, "rule", notes)) {
    if (rules.has(rule.id)) notes.push(`Left out the rule ${shown(rule.quote)}: another one has its id.`);
    else if (isOneWord(rule.quote)) notes.push(`Left out a rule that is only a word: ${shown(rule.quote)}`);
    else if (known.saysInPrompt(rule.quote)) rules.set(rule.id, { quote: rule.quote.trim(), tests: [] });
    else notes.push(`Left out a rule whose words are not in the prompt: ${shown(rule.quote)}`);
  }

  const drafts: PromptDraft[] = [];
  for (const test of ofForm(Test, reply.data.tests, "test", notes)) {
    const leaveOut = (why: string) => notes.push(`Left out the test ${shown(test.name)}: ${why}`);
    const tested = [...new Set(test.rules)].flatMap((id) => rules.get(id) ?? []);
    const draft = draftOf(test, known, notes);
    const problem = problemOf(draft);
    if (drafts.length === body.count) leaveOut(`it is more than the ${body.count} that were asked for.`);
    else if (tested.length === 0) leaveOut("it tests no rule of the prompt.");
    else if (drafts.some(({ name }) => name === draft.name)) leaveOut("another one has its name.");
    else if (problem !== undefined) leaveOut(problem);
    else {
      drafts.push(draft);
      for (const rule of tested) rule.tests.push(draft.name);
    }
  }
  return { rules: [...rules.values()], drafts, notes: notes.slice(0, NOTES_MAX) };
}

/** Returns the items that have the asked form. A note says how many others the model sent. */
export function ofForm<Item>(form: z.ZodType<Item>, items: readonly unknown[], what: string, notes: string[]): Item[] {
  const read = items.flatMap((item) => form.safeParse(item).data ?? []);
  const others = items.length - read.length;
  if (others > 0) notes.push(`Left out ${others} ${what}${others === 1 ? "" : "s"} in another form than asked.`);
  return read;
}

/** The JSON object may be inside a code fence. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(/^\s*```(?:json)?\s*\n([^]*)\n\s*```\s*$/.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
}

type Known = ReturnType<typeof knownFrom>;

/** Returns what the request names. A model invents rules and tools, and these functions find out. */
function knownFrom({ prompt, tools }: Body) {
  const words = plain(prompt);
  const names = new Set(tools.map(({ name }) => name));
  const hasTool = (name: string): boolean => names.has(name) || words.includes(name.toLowerCase());
  return {
    hasTool,
    saysInPrompt: (quote: string): boolean => plain(quote) !== "" && hasWhole(words, plain(quote)),
    /** Returns a word of the sentence that looks like the name of a tool and is none of the agent's. */
    inventedToolIn: (sentence: string): string | undefined =>
      sentence.match(/\b[a-z]\w*_\w+\b/gi)?.find((word) => !hasTool(word)),
  };
}

/** Returns whether the text has the words, and not only a part of their first or last word. */
function hasWhole(text: string, words: string): boolean {
  const [start, end] = [/^[\p{L}\p{N}]/u.test(words), /[\p{L}\p{N}]$/u.test(words)];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const isPart =
      (start && /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))) ||
      (end && /^[\p{L}\p{N}]/u.test(text.slice(at + words.length, at + words.length + 2)));
    if (!isPart || !SPACED.test(words)) return true;
  }
  return false;
}

/** Matches text of scripts that separate words with spaces. */
const SPACED = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\P{L}]*$/u;

const isOneWord = (quote: string): boolean => plain(quote) !== "" && SPACED.test(quote) && !plain(quote).includes(" ");

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim().toLowerCase();

function draftOf(
  { name, situation, says, facts, behaviors, mocks }: z.output<typeof Test>,
  known: Known,
  notes: string[],
) {
  const title = oneLine(name);
  const usable = behaviors.map(oneLine).filter((behavior) => {
    const invented = known.inventedToolIn(behavior);
    const problem =
      invented === undefined
        ? readBehavior(behavior, true).problem
        : `it names the tool ${invented}, which neither the prompt nor the list of tools has.`;
    if (problem !== null) notes.push(`Left out the behavior ${shown(behavior)} of ${shown(title)}: ${problem}`);
    return problem === null && behavior !== "";
  });
  const [mocked, invented] = [
    mocks.filter(({ tool }) => known.hasTool(tool)),
    mocks.filter(({ tool }) => !known.hasTool(tool)),
  ];
  for (const { tool } of invented)
    notes.push(
      `Left out the mock of ${cutText(oneLine(tool), NAME_CHARACTERS)} of ${shown(title)}: the agent has no such tool.`,
    );
  return {
    name: title,
    scenario: scenarioOf({ situation, says, facts }),
    expectedBehaviors: usable,
    mockTools: mocked.map(({ tool, answer }) => ({ tool, answer: parsed(answer) ?? answer })),
  };
}

/** Returns the scenario of a caller with these lines and facts. */
export function scenarioOf({ situation, says, facts }: Omit<z.output<typeof Caller>, "name">): string {
  const told = facts.map(({ name, value }) => `${oneLine(name)} = ${oneLine(value)}`.replaceAll(";", ","));
  const lines = [
    ...says.map((line) => `Says: ${oneLine(line)}`),
    ...(told.length > 0 ? [`Facts: ${told.join("; ")}`] : []),
  ];
  return [oneLine(situation), "", ...lines].join("\n").trim();
}

/** Returns why the draft could not be created as a test. */
export function problemOf({ name, scenario, expectedBehaviors, mockTools }: PromptDraft): string | undefined {
  if (expectedBehaviors.length === 0) return "it has no behavior left.";
  const created = operations.tests.create.body.safeParse({
    name,
    scenario,
    expected_behaviors: expectedBehaviors,
    mock_tools: mockTools,
  });
  return created.success ? undefined : created.error.issues[0]!.message;
}

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
export const shown = (text: string): string => JSON.stringify(cutText(oneLine(text), SHOWN_CHARACTERS));
