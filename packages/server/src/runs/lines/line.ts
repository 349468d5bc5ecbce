import { type EndingReason, fitsDepth, LIMITS } from "@svc/contract";
import { z } from "zod";
import type { CallOutcome } from "../../voice/calls/call.ts";

/** One tool call of the agent in a simulation. */
export type ToolUse = {
  id: string | null;
  name: string;
  arguments: unknown;
  result: unknown;
  error: string | null;
  /** Whether a mock of the service answered the call. */
  mocked: boolean;
  startedMs: number;
  endedMs: number;
};

/** Messages and tool calls of the agent from the caller's last message until the agent waits for the caller again. */
export type AgentTurn = { messages: string[]; toolUses: ToolUse[]; ended: boolean; transferred: boolean };

/**
 * Turn of a line that carries sound. `text` is null while the words are unknown. The line sets `text` and the times later, on the
 * same object.
 */
export type HeardTurn = { role: "caller" | "agent"; text: string | null; startedMs: number; endedMs: number };

/**
 * Receives each turn of a line that carries sound, at the start of the turn. The line calls the returned function when the turn
 * is complete.
 */
export type HearTurn = (turn: HeardTurn) => () => void;

/** Channel to the agent in one simulation. */
export type AgentLine = {
  /** Returns the agent's greeting, or null when the agent waits for the caller. */
  open: (signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn | null>;
  say: (text: string, signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn>;
  /** Whether the line carries sound. The line then reports every turn to `hear`, and its answers have no messages. */
  carriesSound?: boolean;
  /** Waits a short time before the caller ends the conversation, so that the agent can end the conversation first. */
  partFrom?: (signal: AbortSignal) => Promise<AgentTurn>;
  /** Returns the outcome of the call after `close`. Absent for a line without sound. */
  outcome?: () => CallOutcome | null;
  /** Whether the agent calls mocked tools at the service over HTTP. The agent may then wait for the service. */
  callsToolsBack?: boolean;
  /** Signals the end of the conversation to the agent. Never throws. */
  close: () => Promise<void>;
};

/** Failure that ends the conversation. Its reason names the cause. */
export class LineFailure extends Error {
  readonly reason: EndingReason;
  /** Whether the service caused the failure. The conversation then proves nothing about the agent and is played again. */
  readonly isOurFault: boolean;

  constructor(reason: EndingReason, message: string, isOurFault = false) {
    super(message);
    this.name = "LineFailure";
    this.reason = reason;
    this.isOurFault = isOurFault;
  }
}

export type ToolRequest = Pick<ToolUse, "id" | "name" | "arguments">;

/** Answers a tool call with its mock. */
export type UseTool = (call: ToolRequest, signal: AbortSignal) => Promise<ToolUse>;

const AGENT_MESSAGE_CHARACTERS_MAX = 20_000;

/** Parses one message of an agent and cuts it to the length of the longest stored text. */
export const agentText = z.string().transform((all) => all.slice(0, AGENT_MESSAGE_CHARACTERS_MAX).toWellFormed());

/** Parses an agent's JSON. Returns invalid or too deeply nested JSON as text. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return fitsDepth(value, LIMITS.mockToolDepth) ? value : json;
  } catch {
    return json;
  }
}
