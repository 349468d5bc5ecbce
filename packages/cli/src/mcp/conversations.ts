import { operations, type ToolCall, TraceSummary } from "@svc/contract";
import { z } from "zod";
import { projectPage } from "../runs/page.ts";
import { DATA_NOTE, fenced, firstPageThatFits, firstThatFits, READS, said, tool } from "./tool.ts";

const Found = TraceSummary.pick({
  traceId: true,
  source: true,
  status: true,
  agentName: true,
  agentVersion: true,
  channel: true,
  startedAt: true,
  durationMs: true,
  turnCount: true,
  errorCount: true,
  responseLatency: true,
  interruptionCount: true,
  preview: true,
});

const { projectId: _, pageSize: __, total: ___, ...filters } = operations.traces.list.query.shape;

export const findConversations = tool({
  name: "find_conversations",
  title: "Find conversations",
  description:
    "Lists conversations, production and simulations, newest first: by agent, time, words in them, errors, verdict, tool or latency. `show_conversation` shows one.",
  needs: "read",
  hints: READS,
  input: z.strictObject(filters),
  output: z.strictObject({
    note: z.string(),
    conversations: z.array(Found),
    nextPageToken: z.string().nullable(),
    pages: z.string().nullable().describe("The page of a conversation is this address and its traceId."),
  }),
  async run(input, { session }) {
    const { client, projectId } = session;
    const pages = await projectPage(session, projectId, "/conversations/");
    return firstPageThatFits(async (pageSize) => {
      const { traces, nextPageToken } = await client.traces.list({ ...input, projectId, pageSize });
      const conversations = traces.map((trace) => ({
        ...pick(trace),
        agentName: trace.agentName && said(trace.agentName, 80),
        preview: trace.preview && said(trace.preview, 120),
      }));
      return {
        value: { note: DATA_NOTE, conversations, nextPageToken, pages },
        text: `${conversations.length} conversations${nextPageToken === null ? "" : ", and there are more"}.`,
      };
    });
  },
});

const pick = (trace: TraceSummary) =>
  Object.fromEntries(Object.keys(Found.shape).map((name) => [name, trace[name as keyof TraceSummary]])) as z.input<
    typeof Found
  >;

const TURNS_AT_ONCE = 40;
const CALLS_OF_TURN = 10;

const Line = z.strictObject({
  turn: z.int().nullable(),
  who: z.enum(["agent", "caller", "other", "tool"]),
  text: z.string().nullable().describe("Null when the words are unknown."),
});

export const showConversation = tool({
  name: "show_conversation",
  title: "Show a conversation",
  description:
    "Shows the turns and the tool calls of a conversation in their order, from a turn on. The answer names the next turn when there are more.",
  needs: "read",
  hints: READS,
  input: z.strictObject({
    traceId: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .describe("Any of its traces: 32 hexadecimal characters."),
    fromTurn: z.int().min(0).default(0),
  }),
  output: z.strictObject({
    note: z.string(),
    agentName: z.string().nullable(),
    startedAt: z.string(),
    turns: z.int(),
    lines: z.array(Line),
    moreToolCalls: z.int().describe("Tool calls of these turns that are not shown."),
    nextTurn: z.int().nullable(),
    page: z.string().nullable(),
  }),
  async run({ traceId, fromTurn }, { session }) {
    const { client, projectId } = session;
    const page = await projectPage(session, projectId, `/conversations/${traceId}`);
    const trace = await client.traces.get({ traceId, projectId });
    const levels = [
      [TURNS_AT_ONCE, 600],
      [20, 400],
      [10, 300],
      [5, 150],
      [1, 100],
      [1, 50],
    ] as const;
    return firstThatFits(
      levels.map(([most, characters]) => () => {
        const turns = trace.turns.filter(({ index }) => index >= fromTurn).slice(0, most);
        const shown = new Set(turns.map(({ index }) => index));
        const own = trace.toolCalls.filter(
          ({ turnIndex }) => (turnIndex === null && fromTurn === 0) || shown.has(turnIndex ?? -1),
        );
        const calls = Map.groupBy(own, ({ turnIndex }) => turnIndex);
        const linesOf = (turn: number | null) => (calls.get(turn) ?? []).slice(0, CALLS_OF_TURN).map(toolLine);
        const lines: z.input<typeof Line>[] = [
          ...linesOf(null),
          ...turns.flatMap(({ index, role, text }) => [
            {
              turn: index,
              who: role === "user" ? ("caller" as const) : role === "agent" ? ("agent" as const) : ("other" as const),
              text: text && said(text, characters),
            },
            ...linesOf(index),
          ]),
        ];
        const moreToolCalls = own.length - lines.filter(({ who }) => who === "tool").length;

        function toolLine({ name, turnIndex, arguments: given, result, isError }: ToolCall) {
          const arrow = isError === true ? "failed: " : "→ ";
          const text = `${name ?? "unknown tool"}(${textOf(given)}) ${arrow}${textOf(result)}`;
          return { turn: turnIndex, who: "tool" as const, text: said(text, characters) };
        }

        const next = trace.turns.find(({ index }) => index >= fromTurn && !shown.has(index))?.index ?? null;
        return {
          value: {
            note: DATA_NOTE,
            agentName: trace.agentName && said(trace.agentName, 80),
            startedAt: trace.startedAt,
            turns: trace.turns.length,
            lines,
            moreToolCalls,
            nextTurn: next,
            page,
          },
          text: fenced([said(lines.find(({ text }) => text !== null)?.text ?? "No words are known.", 120)]),
        };
      }),
    );
  },
});

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
