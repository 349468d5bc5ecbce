import { cutText } from "../core/cut-text.ts";
import { LIMITS } from "../core/limits.ts";
import type { Grade } from "../graders/grades.ts";
import type { Trace } from "../traces/trace.ts";
import { draftTest, type TestDraft } from "./draft-test.ts";
import { markPersonalValues } from "./personal-data.ts";

const SAID_CHARACTERS = 120;
const NO_FAILURE =
  "No grader decided against the conversation. The test repeats it as it was; write the behavior that failed.";

/** Members of a grade that `draftFailingTest` uses. */
type FailedGrade = Pick<Grade, "criterion" | "graderName" | "decidedBy" | "verdict" | "counts" | "evidence">;

/**
 * Drafts a test from a conversation that failed. The caller of the test says the words of the conversation's caller again, and the test
 * expects the behaviors that failed. Behaviors that code decides come first. The draft marks personal data for the author to replace; a
 * note lists the kinds of this data.
 */
export function draftFailingTest(trace: Trace, grades: readonly FailedGrade[], name?: string): TestDraft {
  const failed = grades.filter(({ verdict, counts }) => verdict === "failed" && counts);
  const { test, notes } = draftTest(trace, name);
  if (test === null) return { test, notes };
  // The name is not searched for personal data. It contains no words of the conversation, and the digits of the trace id can look like a
  // telephone number.
  const { name: title, ...content } = test;
  const failing = failed.flatMap((grade) => behaviorsOf(grade, trace));
  const failedTools = new Set(trace.toolCalls.filter(({ isError }) => isError === true).map((call) => call.name));
  const repeated = test.expected_behaviors.filter(
    (behavior) => ![...failedTools].some((tool) => isCallOf(behavior, tool)),
  );
  const expected = [...failing.filter(({ byCode }) => byCode), ...failing.filter(({ byCode }) => !byCode)];
  const kinds = new Set<string>();
  const marked = markPersonalValues(
    {
      ...content,
      expected_behaviors: [...new Set([...expected.map(({ behavior }) => behavior), ...repeated])].slice(
        0,
        LIMITS.behaviors,
      ),
    },
    kinds,
  ) as typeof content;
  return {
    test: { name: title, ...marked, scenario: cutText(marked.scenario, LIMITS.scenarioCharacters) },
    notes: [
      ...notes,
      ...(failed.length === 0 ? [NO_FAILURE] : []),
      ...(kinds.size > 0
        ? [
            `Replace what is marked with [REPLACE: …] (${[...kinds].join(", ")}), and read the rest for other personal data.`,
          ]
        : []),
    ],
  };
}

const isCallOf = (behavior: string, tool: string | null): boolean =>
  tool !== null && (behavior === `calls ${tool}` || behavior.startsWith(`calls ${tool} `));

type Expected = { behavior: string; byCode: boolean };

/** Returns the behaviors that the agent did not show according to a failed grade; empty when the grade's evidence has no words. */
function behaviorsOf({ criterion, graderName, decidedBy, evidence }: FailedGrade, trace: Trace): Expected[] {
  if (decidedBy === "check") return [{ behavior: criterion, byCode: true }];
  if (decidedBy === "judge" && criterion !== graderName) return [{ behavior: criterion, byCode: false }];
  if (criterion === "Response latency") return [{ behavior: "responds within 3000 ms p95", byCode: true }];
  const call = evidence.flatMap(({ toolCall }) => trace.toolCalls[toolCall ?? -1] ?? []).find(({ isError }) => isError);
  if (call?.name != null && /^[A-Za-z_][\w.:/-]*$/.test(call.name))
    return [{ behavior: `handles an error of ${call.name}`, byCode: true }];
  const shown = evidence.find(({ turn }) => turn !== null && trace.turns[turn]?.role === "agent");
  const words = shown?.quote ?? trace.turns[shown?.turn ?? -1]?.text ?? null;
  return words === null ? [] : [{ behavior: `never says "${saidOf(words)}"`, byCode: true }];
}

/** Returns the first sentence of a turn without quotation marks, cut to at most `SAID_CHARACTERS` characters. */
function saidOf(text: string): string {
  const plain = text.replaceAll(/["“”]/g, "").replaceAll(/\s+/g, " ").trim();
  const sentence = /^.{12,}?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain;
  const short = sentence.slice(0, SAID_CHARACTERS);
  const whole = sentence.length > SAID_CHARACTERS ? short.slice(0, short.lastIndexOf(" ")) : short;
  return whole.replace(/[.!?,;]+$/, "");
}
