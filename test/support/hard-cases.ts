import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import type { Evidence } from "../../packages/server/src/grading/evidence.ts";
import { evidenceFrom } from "./labelled-behaviors.ts";

export const CASES = fileURLToPath(new URL("../grading/cases/", import.meta.url));

const HardCase = z.object({
  id: z.string(),
  behavior: z.string(),
  tools: z.array(z.string()).optional(),
  conversation: z.object({
    modality: z.enum(["voice", "text"]),
    complete: z.boolean(),
    toolsVisible: z.boolean(),
    ending: z
      .object({ reason: z.string(), by: z.enum(["agent", "caller", "limit", "service", "outside", "canceled"]) })
      .nullable(),
    turns: z.array(
      z.object({
        speaker: z.enum(["caller", "agent"]),
        text: z.string().nullable(),
        startMs: z.number(),
        endMs: z.number(),
        interrupted: z.boolean().nullable(),
        playedText: z.string().nullish(),
      }),
    ),
    toolCalls: z.array(
      z.object({
        name: z.string().nullable(),
        arguments: z.unknown(),
        result: z.unknown(),
        outcome: z.enum(["ok", "error"]).nullable(),
        turn: z.number().nullable(),
        startMs: z.number(),
      }),
    ),
  }),
  truth: z.enum(["pass", "fail", "unclear"]),
  why: z.string(),
});

/** A conversation with a behavior and the verdict that its author gave without knowledge of the code. */
type HardCase = z.output<typeof HardCase>;

/** Returns the cases of a folder of JSON files, in the order of their files. */
export const hardCases = (folder: string): HardCase[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => z.array(HardCase).parse(JSON.parse(readFileSync(`${folder}/${file}`, "utf8"))));

/** Returns the evidence of a case, with the measures of a real conversation. */
function evidenceOfCase({ tools, conversation }: HardCase): Evidence {
  const { modality, complete, toolsVisible, ending, turns, toolCalls } = conversation;
  return evidenceFrom({
    about: "",
    modality,
    scenario: null,
    persona: null,
    ending,
    complete,
    toolsVisible,
    knownTools: tools === undefined ? null : { names: tools, all: true },
    turns: turns.map(({ speaker, text, startMs, endMs, interrupted, playedText }) => ({
      speaker,
      from: startMs,
      to: endMs,
      text,
      interrupted: interrupted ?? false,
      heardText: playedText ?? null,
    })),
    toolCalls: toolCalls.map(({ name, arguments: input, result, outcome, turn, startMs }) => ({
      name,
      arguments: input,
      result,
      failed: outcome === null ? null : outcome === "error",
      turn,
      at: startMs,
    })),
  });
}

type Outcome = "right" | "false pass" | "false fail" | "undecided";
type DecidedCase = HardCase & { form: string; outcome: Outcome; verdict: string; reason: string };

/**
 * Returns how code decides a case. Where the truth is unclear, only an undecided result is right, and a pass or a failure counts as
 * false.
 */
export function decideCase(hardCase: HardCase): DecidedCase {
  const check = parseCheck(hardCase.behavior);
  if (check === undefined || check.form === "unreadable")
    return { ...hardCase, form: "judge", outcome: "undecided", verdict: "judge", reason: "" };
  const { verdict, reason } = decide(check, evidenceOfCase(hardCase));
  return { ...hardCase, form: check.form, outcome: outcomeOf(hardCase.truth, verdict), verdict, reason };
}

function outcomeOf(truth: HardCase["truth"], verdict: string): Outcome {
  if (verdict === "passed") return truth === "pass" ? "right" : "false pass";
  if (verdict === "failed") return truth === "fail" ? "right" : "false fail";
  return truth === "unclear" ? "right" : "undecided";
}

type ConfusionRow = { form: string; cases: number } & Record<Outcome, number>;

/** Returns a row for each form with its number of cases by outcome, and a last row with the sums. */
export function confusionOf(cases: readonly DecidedCase[]): ConfusionRow[] {
  const rows = new Map<string, ConfusionRow>();
  const total = emptyRow("all");
  for (const { form, outcome } of cases) {
    const row = rows.get(form) ?? emptyRow(form);
    rows.set(form, row);
    for (const each of [row, total]) {
      each.cases++;
      each[outcome]++;
    }
  }
  return [...[...rows.values()].toSorted((a, b) => (a.form < b.form ? -1 : 1)), total];
}

const emptyRow = (form: string): ConfusionRow => ({
  form,
  cases: 0,
  right: 0,
  "false pass": 0,
  "false fail": 0,
  undecided: 0,
});
