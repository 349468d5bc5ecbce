import { type EndingReason, fitsDepth, LIMITS } from "@svc/contract";
import { z } from "zod";
import type { CallOutcome } from "../../voice/calls/call.ts";

export type ToolUse = {
  id: string | null;
  name: string;
  arguments: unknown;
  result: unknown;
  error: string | null;
  mocked: boolean;
  startedMs: number;
  endedMs: number;
};

/** Messages and tool calls of the agent from the caller's last message until the agent waits for the caller again. */
export type AgentTurn = { messages: string[]; toolUses: ToolUse[]; ended: boolean; transferred: boolean };

/** `text` is null while the words are unknown. The line sets `text` and the times later, on the same object. */
export type HeardTurn = { role: "caller" | "agent"; text: string | null; startedMs: number; endedMs: number };

/**
 * Receives each turn of a line that carries sound, at the start of the turn. The line calls the returned function when the turn
 * is complete.
 */
export type HearTurn = (turn: HeardTurn) => () => void;

export type AgentLine = {
  /** Waits until the agent calls. Such a wait is no part of the conversation. Absent where the service reaches the agent at once. */
  reach?: (signal: AbortSignal, hear: HearTurn) => Promise<void>;
  /** Null when the agent waits for the caller. */
  open: (signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn | null>;
  say: (text: string, signal: AbortSignal, hear: HearTurn) => Promise<AgentTurn>;
  /** The line then reports every turn to `hear`, and its answers have no messages. */
  carriesSound?: boolean;
  /** Waits a short time before the caller ends the conversation, so that the agent can end the conversation first. */
  partFrom?: (signal: AbortSignal) => Promise<AgentTurn>;
  /** Returns the outcome of the call after `close`. Absent for a line without sound. */
  outcome?: () => CallOutcome | null;
  /** Whether the agent calls mocked tools at the service over HTTP. The agent may then wait for the service. */
  callsToolsBack?: boolean;
  /** Never throws. */
  close: () => Promise<void>;
};

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

export type UseTool = (call: ToolRequest, signal: AbortSignal) => Promise<ToolUse>;

const AGENT_MESSAGE_CHARACTERS_MAX = 20_000;

export const agentText = z.string().transform((all) => all.slice(0, AGENT_MESSAGE_CHARACTERS_MAX).toWellFormed());

/** Returns invalid or too deeply nested JSON as text. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return fitsDepth(value, LIMITS.mockToolDepth) ? value : json;
  } catch {
    return json;
  }
}
