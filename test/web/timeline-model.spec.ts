import type { Trace } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { defaultTurn } from "../../packages/web/src/conversations/timeline/answers.ts";
import { gridItems } from "../../packages/web/src/conversations/timeline/grid-items.ts";
import { laneBars } from "../../packages/web/src/conversations/timeline/bars.tsx";
import { timelineOf } from "../../packages/web/src/conversations/timeline/model.ts";
import { captureSets } from "../support/spans-of-capture.ts";
import { recordedConversation } from "./support/recorded-conversation.ts";

const voice = recordedConversation("py-1.8.9-voice");
const model = timelineOf(voice);

describe("a spoken conversation", () => {
  test("every turn is a row, and the silence before the end is one", () => {
    expect(model.rows.map(({ type }) => type)).toEqual([...Array(7).fill("turn"), "silence"]);
    const silence = model.rows.at(-1);
    expect(silence).toMatchObject({ silence: { isLast: true, isFirst: false } });
  });

  test("the parts of an answer add up to its time, and the rest names the earlier model call and the tool", () => {
    const answer = model.answers.get(2)!;
    expect(answer.parts.map(({ kind }) => kind)).toEqual(["wait", "rest", "model", "speech"]);
    expect(answer.parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(answer.ms, 6);
    expect(answer.parts[1]!.pieces.map(({ label }) => label)).toEqual(["earlier model call", "get_weather"]);
    expect(answer.heardMs - answer.zeroMs).toBeCloseTo(answer.ms, 6);
    expect(model.turnRows[2]).toMatchObject({ isSlowest: true });
    expect(defaultTurn(voice)).toBe(2);
  });

  test("an interruption crosses the rows of both turns and says how long the agent went on", () => {
    const [cut, by] = [model.turnRows[4]!, model.turnRows[5]!];
    expect(cut.cuts).toHaveLength(1);
    expect(cut.cuts[0]!.wentOnMs).toBeCloseTo(208.78, 1);
    expect(cut.bands).toEqual(by.bands);
    expect(cut.bands[0]!.untilMs - cut.bands[0]!.fromMs).toBeCloseTo(208.78, 1);
    expect(model.turnRows.filter(({ bands }) => bands.length > 0)).toHaveLength(2);
  });

  test("each span of a turn is a row of the timeline, and a chain of single children is one row", () => {
    const names = model.spanRows(2).map(({ name, depth, kind }) => [depth, name, kind]);
    expect(names).toEqual([
      [0, "agent_turn", "rest"],
      [1, "llm_node › request › request_run", "model"],
      [1, "function_tool", "tool"],
      [1, "llm_node › request › request_run", "model"],
      [1, "tts_node › request › request_run", "speech"],
      [1, "agent_speaking", "agent"],
    ]);
  });

  test("opening a turn adds only its spans below its row", () => {
    const closed = gridItems(model, undefined);
    const open = gridItems(model, 2);
    expect(open).toHaveLength(closed.length + 6);
    expect(open.slice(3, 9).every(({ type }) => type === "span")).toBe(true);
    expect(closed.at(-1)).toMatchObject({ type: "rest" });
  });
});

describe.each(captureSets())("the recorded conversation %s", (set) => {
  const trace = recordedConversation(set);
  const timeline = timelineOf(trace);

  test("each span is in the rows of exactly one turn or of none", () => {
    const owners = [null, ...trace.turns.map(({ index }) => index)];
    const shown = owners.flatMap((owner) => timeline.spanRows(owner).flatMap(({ spans }) => spans));
    expect(shown).toHaveLength(trace.spans.length);
    expect(new Set(shown)).toEqual(new Set(trace.spans));
  });

  test("each turn is one row in order, and no part of an answer is negative", () => {
    const turns = timeline.rows.filter((row) => row.type === "turn");
    expect(turns.map(({ turn }) => turn.index)).toEqual(trace.turns.map(({ index }) => index));
    for (const { parts } of timeline.answers.values()) for (const { ms } of parts) expect(ms).toBeGreaterThanOrEqual(0);
  });

  test("no key occurs twice in the grid", () => {
    const keys = gridItems(timeline, trace.turns[0]?.index).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test("a third party has a row of its own in the timeline, apart from the caller's", () => {
  const transferred: Trace = {
    ...voice,
    turns: voice.turns.map((turn) => (turn.role === "user" ? { ...turn, role: "third_party" } : turn)),
  };
  const lanes = laneBars(timelineOf(transferred), 15_000).map(({ lane, kind }) => `${kind} in ${lane}`);
  expect(lanes).toContain("third_party in third_party");
  expect(lanes).not.toContain("third_party in caller");
});

test("a typed conversation has no lanes of speech and no answer axis", () => {
  const typed = timelineOf(recordedConversation("py-1.8.9-text"));
  expect(typed).toMatchObject({ isPlain: true, isTyped: true, hasAnswerAxis: false });
  expect(typed.answers.size).toBe(3);
});

test("a conversation whose spans show no speech is not called typed", () => {
  expect(timelineOf(recordedConversation("gen-ai-openai-2.4b0-text"))).toMatchObject({ isPlain: true, isTyped: false });
});

test("answers that failed and speech without words are rows between the turns", () => {
  const types = timelineOf(recordedConversation("py-1.8.9-troubles")).rows.map(({ type }) => type);
  expect(types).toContain("unspoken");
  expect(types).toContain("loose");
});

test("the ruler has a limited number of bars for a call of thousands of turns", () => {
  const second = (index: number) => new Date(Date.parse(voice.startedAt) + index * 1_000).toISOString();
  const turns = Array.from({ length: 5_000 }, (_, index) => ({
    ...voice.turns[0]!,
    index,
    role: index % 2 === 0 ? ("user" as const) : ("agent" as const),
    startedAt: second(index),
    endedAt: second(index + 1),
    spanIds: [],
  }));
  const long: Trace = {
    ...voice,
    turns,
    speech: [],
    toolCalls: [],
    modelCalls: [],
    speechCalls: [],
    spans: [],
    measures: [],
  };
  expect(laneBars(timelineOf(long), 5_000_000).length).toBeLessThan(1_200);
});
