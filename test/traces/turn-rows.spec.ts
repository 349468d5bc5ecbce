import { LIMITS, type MEASURES } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { type TurnRow, turnRowsOf } from "../../packages/server/src/traces/measures/turn-rows.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { agentSpeaks, agentTurn, child, session, userSpeaks, userTurn } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";

const rowsOf = (spans: readonly StoredSpan[]): TurnRow[] => {
  const conversation = conversationOf(spans);
  return turnRowsOf(conversation, measuresOf(conversation));
};
const tool = (turn: string, startMs: number, name: string, isError: boolean) =>
  child("function_tool", turn, startMs, startMs + 10, {
    "lk.function_tool.name": name,
    "lk.function_tool.is_error": isError,
  });

describe("the rows of a conversation's turns", () => {
  test("each turn of the agent is a row, with the words before it, and its number is that of the conversation's turn", () => {
    const rows = rowsOf([
      session(),
      agentTurn("greeting", 0, 900, { "lk.pii.response.text": "Welcome." }),
      agentSpeaks("greeting", 100, 900),
      userTurn("u1", 1_000, 1_500, { "lk.pii.user_transcript": "A table" }),
      userTurn("u2", 1_600, 2_200, { "lk.pii.user_transcript": "for two." }),
      userSpeaks("u2", 1_600, 2_000),
      agentTurn("a", 2_200, 5_700, { "lk.pii.response.text": "Of course." }),
      agentSpeaks("a", 2_700, 5_700),
      agentTurn("b", 5_800, 6_000, { "lk.pii.response.text": "Anything else?" }),
    ]);
    expect(rows).toMatchObject([
      { index: 0, userText: null, agentText: "Welcome.", answerMs: null, provenance: null },
      { index: 3, userText: "A table for two.", agentText: "Of course.", answerMs: 700, provenance: "measured" },
      { index: 4, userText: null, agentText: "Anything else?", answerMs: null },
    ]);
  });

  test("a turn that the caller cuts short while a tool runs is interrupted, and names the tool and its failure", () => {
    const rows = rowsOf([
      session(),
      userTurn("u", 1_000, 2_200),
      userSpeaks("u", 1_000, 2_000),
      agentTurn("a", 2_200, 5_700, { "lk.interrupted": true }),
      agentSpeaks("a", 2_700, 5_700),
      tool("a", 5_000, "book", true),
      tool("a", 5_100, "book", false),
      tool("a", 5_200, "look", false),
      userTurn("v", 5_500, 6_500),
      userSpeaks("v", 5_500, 6_400),
      agentTurn("c", 6_500, 7_500),
      agentSpeaks("c", 6_900, 7_500),
    ]);
    expect(rows).toMatchObject([
      { interrupted: true, tools: ["book", "look"], toolFailed: true },
      { interrupted: false, tools: [], toolFailed: false },
    ]);
  });

  test("a turn without a word, and with words that are only space, has no text, and a long text is cut without half a character", () => {
    const long = "😀".repeat(LIMITS.turnTextCharacters);
    const [silent, cut] = rowsOf([
      session(),
      userTurn("u", 1_000, 2_200, { "lk.pii.user_transcript": "  \n " }),
      agentTurn("a", 2_200, 5_700, { "lk.pii.response.text": "" }),
      agentSpeaks("a", 2_700, 5_700),
      userTurn("v", 6_000, 6_200, { "lk.pii.user_transcript": long }),
      agentTurn("b", 6_300, 6_700),
    ]);
    expect([silent!.userText, silent!.agentText]).toEqual([null, null]);
    expect(cut!.userText).toMatch(/^(😀)+…$/u);
    expect(cut!.userText!.length).toBeLessThanOrEqual(LIMITS.turnTextCharacters);
  });

  test("a conversation without turns has no rows, and a long one has its first turns", () => {
    expect(rowsOf([session()])).toEqual([]);
    expect(rowsOf([])).toEqual([]);
    const many = Array.from({ length: LIMITS.turnsListed + 3 }, (_, at) => agentTurn(`a${at}`, at, at + 1));
    const rows = rowsOf([session(), ...many]);
    expect(rows).toHaveLength(LIMITS.turnsListed);
    expect(rows.at(-1)!.index).toBe(LIMITS.turnsListed - 1);
  });

  test.each(captureSets())("the rows of a recorded call agree with its turns and measures: %s", (set) => {
    const conversation = conversationOf(spansOfCapture(set));
    const measures = measuresOf(conversation);
    const rows = turnRowsOf(conversation, measures);
    expect(rows.map(({ index }) => index)).toEqual(
      conversation.turns.flatMap(({ role, index }) => (role === "agent" ? [index] : [])),
    );
    const samplesOf = (name: keyof typeof MEASURES) => measures.find((measure) => measure.name === name)!.samples;
    const times = samplesOf("response_latency").concat(samplesOf("text_response_time"));
    expect(rows.filter(({ answerMs }) => answerMs !== null)).toHaveLength(
      new Set(times.map(({ turnIndex }) => turnIndex).filter((turn) => turn !== null)).size,
    );
    const cut = samplesOf("user_interruptions").filter(({ value, turnIndex }) => value === 1 && turnIndex !== null);
    expect(rows.filter(({ interrupted }) => interrupted === true)).toHaveLength(cut.length);
  });
});
