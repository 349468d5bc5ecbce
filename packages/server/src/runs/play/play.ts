import { setTimeout as delay } from "node:timers/promises";
import type { EndingReason } from "@svc/contract";
import { jsonOf } from "../../grading/bounds.ts";
import type { SimulatedCaller } from "../callers/caller.ts";
import { type AgentLine, type AgentTurn, LineFailure, type ToolUse } from "../lines/line.ts";

/** One party's words with their times. */
export type PlayedTurn = { role: "caller" | "agent"; text: string; startedMs: number; endedMs: number };
/** A tool use with the index of the agent's turn that made it. */
export type PlayedToolUse = ToolUse & { turnIndex: number };

export type PlayedConversation = {
  turns: PlayedTurn[];
  toolUses: PlayedToolUse[];
  reason: EndingReason;
  note: string | null;
  startedMs: number;
  endedMs: number;
};

type Conversation = {
  caller: SimulatedCaller;
  line: AgentLine;
  turnLimit: number;
  timeLimitMs: number;
  /** Interrupts the conversation: the run is canceled, or the service stops. */
  signal: AbortSignal;
  onTurn?: (turn: PlayedTurn, index: number) => void;
  /** Receives the simulator's own failures. */
  onFault?: (error: unknown) => void;
};

const endedBy = ({ ended, transferred }: AgentTurn): EndingReason | undefined =>
  transferred ? "transferred" : ended ? "agent_ended" : undefined;

/** The limit of an agent's messages, tool arguments and results in one conversation. */
const CONVERSATION_CHARACTERS_MAX = 10_000_000;
/** This many empty answers in a row end the conversation; otherwise it might never end. */
const EMPTY_ANSWERS_MAX = 3;

/** Plays one conversation to its end. Never throws: every failure is an ending whose reason says which side caused it. */
export async function play({
  caller,
  line,
  turnLimit,
  timeLimitMs,
  signal,
  onTurn,
  onFault,
}: Conversation): Promise<PlayedConversation> {
  const turns: PlayedTurn[] = [];
  const toolUses: PlayedToolUse[] = [];
  const startedMs = Date.now();
  let characters = 0;
  let callersMs = 0;
  const limit = AbortSignal.timeout(timeLimitMs);
  const within = AbortSignal.any([signal, limit]);

  const record = (turn: PlayedTurn) => {
    turns.push(turn);
    onTurn?.(turn, turns.length - 1);
  };
  const hear = (answer: AgentTurn, askedMs: number) => {
    const endedMs = Date.now();
    characters += charactersOf(answer);
    if (characters > CONVERSATION_CHARACTERS_MAX)
      throw new LineFailure(
        "agent_error",
        `The agent said and called more than ${CONVERSATION_CHARACTERS_MAX} characters in one conversation.`,
      );
    toolUses.push(...answer.toolUses.map((use) => ({ ...use, turnIndex: turns.length })));
    for (const text of answer.messages) record({ role: "agent", text, startedMs: askedMs, endedMs });
  };
  const end = (reason: EndingReason, note: string | null = null): PlayedConversation => ({
    turns,
    toolUses,
    reason,
    note,
    startedMs,
    endedMs: Date.now(),
  });

  async function converse(): Promise<PlayedConversation> {
    const openedMs = Date.now();
    const greeting = await line.open(within);
    if (greeting) hear(greeting, openedMs);
    const endedByGreeting = greeting && endedBy(greeting);
    if (endedByGreeting) return end(endedByGreeting);
    for (let silent = 0; ;) {
      if (turns.length >= turnLimit)
        return end("turn_limit", `The conversation reached its limit of ${turnLimit} turns.`);
      const move = await callersMove();
      if (move.kind === "hang_up") return end("persona_concluded", move.note);
      if (move.afterMs > 0) await delay(move.afterMs, undefined, { signal: within });
      const saidMs = Date.now();
      record({ role: "caller", text: move.text, startedMs: saidMs, endedMs: saidMs });
      const answer = await line.say(move.text, within);
      hear(answer, saidMs);
      const ended = endedBy(answer);
      if (ended) return end(ended);
      silent = answer.messages.length === 0 ? silent + 1 : 0;
      if (silent === EMPTY_ANSWERS_MAX)
        return end("agent_error", `The agent said nothing ${EMPTY_ANSWERS_MAX} times in a row.`);
    }
  }

  const callersMove = async () => {
    const askedMs = performance.now();
    try {
      return await caller.next(turns, within);
    } catch (error) {
      if (within.aborted || error instanceof LineFailure) throw error;
      throw new LineFailure("simulator_error", `The simulated caller failed: ${(error as Error).message}`);
    } finally {
      callersMs += performance.now() - askedMs;
    }
  };

  const played = await converse().catch((error: unknown) => {
    if (signal.aborted) return end("canceled");
    if (limit.aborted && callersMs > timeLimitMs / 2)
      return end(
        "simulator_error",
        `The simulated caller did not answer in the conversation's ${timeLimitMs / 1000} s.`,
      );
    if (limit.aborted) return end("time_limit", `The conversation reached its limit of ${timeLimitMs / 1000} s.`);
    if (error instanceof LineFailure) return end(error.reason, error.message);
    onFault?.(error);
    return end("simulator_error", "The simulator failed; the service's log says why.");
  });
  await line.close();
  return played;
}

const charactersOf = ({ messages, toolUses }: AgentTurn): number =>
  messages.reduce((sum, text) => sum + text.length, 0) +
  toolUses.reduce((sum, use) => sum + jsonOf(use.arguments).length + jsonOf(use.result).length, 0);
