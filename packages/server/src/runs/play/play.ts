import { setTimeout as delay } from "node:timers/promises";
import type { EndingReason } from "@svc/contract";
import { createRunningLimit, longestStallMsSince, stalledMsSince } from "../../base/async/event-loop-stalls.ts";
import { jsonOf } from "../../grading/bounds.ts";
import type { SimulatedCaller } from "../callers/caller.ts";
import type { CallOutcome } from "../../voice/calls/call.ts";
import { type AgentLine, type AgentTurn, type HeardTurn, LineFailure, type ToolUse } from "../lines/line.ts";

/** A turn that was played. `stalledMs` is the time for which the service did not run while it waited for the turn. */
export type PlayedTurn = HeardTurn & { stalledMs?: number };
export type PlayedToolUse = ToolUse & { turnIndex: number };

/**
 * A disturbance of a conversation that the service caused, and not the agent. Either the service did not run for some time before a
 * failure, while the agent waited for a tool, or while the service sent sound; or the service broke the connection. A disturbed simulation
 * is played again. `endsAs` is its ending when the last attempt is disturbed too; with null, the last attempt counts unchanged.
 */
type Stall = { note: string; endsAs: EndingReason | null };

export type PlayedConversation = {
  turns: PlayedTurn[];
  toolUses: PlayedToolUse[];
  reason: EndingReason;
  note: string | null;
  startedMs: number;
  endedMs: number;
  stall: Stall | null;
  /** Outcome of a call with sound; null for a conversation in text. */
  call: CallOutcome | null;
};

type Conversation = {
  caller: SimulatedCaller;
  line: AgentLine;
  turnLimit: number;
  timeLimitMs: number;
  /** Aborts when the run is canceled or the service stops, and then interrupts the conversation. */
  signal: AbortSignal;
  onTurn?: (turn: PlayedTurn, index: number) => void;
  onFault?: (error: unknown) => void;
};

const endedBy = ({ ended, transferred }: AgentTurn): EndingReason | undefined =>
  transferred ? "transferred" : ended ? "agent_ended" : undefined;

/** Shortest time that an agent is expected to wait for the answer of a mocked tool over HTTP. */
const TOOL_WAIT_MS = 1_000;

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/**
 * Endings that the service itself can cause when it does not run for some time, because the agent then only sees that the service is
 * silent.
 */
const MAY_FOLLOW_A_STALL = new Set<EndingReason>([
  "agent_never_joined",
  "agent_error",
  "connection_refused",
  "rate_limited",
  "simulator_error",
  "time_limit",
]);

const CONVERSATION_CHARACTERS_MAX = 10_000_000;
const EMPTY_ANSWERS_MAX = 3;

/** Plays one conversation. Never throws: every failure becomes an ending, whose reason names the cause. */
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
  let characters = 0;
  let callersMs = 0;
  /** Start times of the last two exchanges with the agent, from `performance.now()`. */
  let [previousFromMs, exchangeFromMs] = [performance.now(), performance.now()];
  let toolsStalledMs = 0;
  const begin = (turn: PlayedTurn): (() => void) => {
    turns.push(turn);
    return () => onTurn?.(turn, turns.indexOf(turn));
  };
  // When the signal aborts, `open` rejects for the same reason.
  await line.reach?.(signal, begin).catch(() => {});
  const startedMs = Date.now();
  const timeLimit = createRunningLimit(timeLimitMs);
  const limit = timeLimit.signal;
  const within = AbortSignal.any([signal, limit]);

  const record = (turn: PlayedTurn) => begin(turn)();
  const hear = (answer: AgentTurn, askedMs: number) => {
    const endedMs = Date.now();
    characters += charactersOf(answer);
    if (characters > CONVERSATION_CHARACTERS_MAX)
      throw new LineFailure(
        "agent_error",
        `The agent said and called more than ${CONVERSATION_CHARACTERS_MAX} characters in one conversation.`,
      );
    const turnIndex = line.carriesSound ? turns.findLastIndex(({ role }) => role === "agent") : turns.length;
    toolUses.push(...answer.toolUses.map((use) => ({ ...use, turnIndex: Math.max(0, turnIndex) })));
    const stalledMs = Math.round(stalledMsSince(exchangeFromMs));
    if (line.callsToolsBack && answer.toolUses.length > 0)
      toolsStalledMs = Math.max(toolsStalledMs, longestStallMsSince(previousFromMs));
    for (const text of answer.messages)
      record({ role: "agent", text, startedMs: askedMs, endedMs, ...(stalledMs > 0 && { stalledMs }) });
  };
  const exchangeWithAgent = <T>(exchange: () => Promise<T>): Promise<T> => {
    [previousFromMs, exchangeFromMs] = [exchangeFromMs, performance.now()];
    return exchange();
  };
  const end = (reason: EndingReason, note: string | null = null, isOurFault = false): PlayedConversation => ({
    turns,
    toolUses,
    reason,
    note,
    startedMs,
    endedMs: Date.now(),
    stall: isOurFault ? { note: note!, endsAs: "simulator_error" } : stallBefore(reason, note),
    call: null,
  });
  const stallBefore = (reason: EndingReason, note: string | null): Stall | null => {
    // In a call with sound, a separate media process serves the agent, even while this process stalls.
    const mayFollow = !line.carriesSound && MAY_FOLLOW_A_STALL.has(reason);
    const stalledMs = mayFollow ? stalledMsSince(previousFromMs) : 0;
    if (stalledMs > 0)
      return stalled(`The service stalled for ${secondsOf(stalledMs)}, and the conversation failed: ${note ?? reason}`);
    if (toolsStalledMs < TOOL_WAIT_MS) return null;
    return stalled(
      `The service stalled for ${secondsOf(toolsStalledMs)} while the agent used a tool, and the agent may not have waited for the tool.`,
    );
  };

  async function converse(): Promise<PlayedConversation> {
    const openedMs = Date.now();
    const greeting = await exchangeWithAgent(() => line.open(within, begin));
    if (greeting) hear(greeting, openedMs);
    const endedByGreeting = greeting && endedBy(greeting);
    if (endedByGreeting) return end(endedByGreeting);
    for (let silent = 0; ;) {
      if (turns.length >= turnLimit)
        return end("turn_limit", `The conversation reached its limit of ${turnLimit} turns.`);
      const move = await callersMove();
      if (move.kind === "hang_up") {
        const farewell = move.why === "heard_enough" ? await line.partFrom?.(within) : undefined;
        return end((farewell && endedBy(farewell)) ?? "persona_concluded", move.note);
      }
      if (move.afterMs > 0) await delay(move.afterMs, undefined, { signal: within });
      const saidMs = Date.now();
      if (!line.carriesSound) record({ role: "caller", text: move.text, startedMs: saidMs, endedMs: saidMs });
      const answer = await exchangeWithAgent(() => line.say(move.text, within, begin));
      hear(answer, saidMs);
      const ended = endedBy(answer);
      if (ended) return end(ended);
      silent = line.carriesSound || answer.messages.length > 0 ? 0 : silent + 1;
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
    if (error instanceof LineFailure) return end(error.reason, error.message, error.isOurFault);
    onFault?.(error);
    return end("simulator_error", "The simulator failed; the service's log says why.");
  });
  timeLimit.clear();
  await line.close();
  const call = line.outcome?.() ?? null;
  const endedMs = Math.max(played.endedMs, ...turns.map((turn) => turn.endedMs));
  return { ...played, endedMs, call, stall: played.stall ?? unreliable(call) };
}

const stalled = (note: string): Stall => ({ note, endsAs: "stalled" });

function unreliable(call: CallOutcome | null): Stall | null {
  if (!call?.summary || call.summary.isTimingReliable) return null;
  const { frameGapMaxMs } = call.summary;
  return {
    note: `The service sent no sound for ${frameGapMaxMs} ms, so the times of the call are unreliable.`,
    endsAs: null,
  };
}

const charactersOf = ({ messages, toolUses }: AgentTurn): number =>
  messages.reduce((sum, text) => sum + text.length, 0) +
  toolUses.reduce((sum, use) => sum + jsonOf(use.arguments).length + jsonOf(use.result).length, 0);
