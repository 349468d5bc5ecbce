import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Input, Operations } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import { isSvcError } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { type AgentConversation, AgentFailure, type AgentReply } from "./agent-conversation.ts";
import type { SessionItem } from "./session-messages.ts";

type BridgeInput = Input<Operations["simulations"]["bridge"]>;
type BridgeReport = Pick<BridgeInput, "starting" | "answered" | "failed">;
type ReportedReply = NonNullable<BridgeInput["answered"]>;

type BridgeAnswer = Answer<Operations["simulations"]["bridge"]>;

/** The service counts a repeated report once. */
type Bridge = (report: BridgeReport) => Promise<BridgeAnswer>;

const MESSAGES_MAX = 20;
const TOOL_CALLS_MAX = 32;
const ID_CHARACTERS_MAX = 200;
const RETRY_MS = 300;
/**
 * Time within which an answer without a message counts as fast. The loop then pauses before the next request. Usually the service
 * delays such an answer for up to 25 s.
 */
const FAST_ANSWER_MS = 1_000;

/** The bridge retries after temporary errors, until the signal aborts. */
export function bridgeTo({ client, projectId }: Session, simulationId: string, signal: AbortSignal): Bridge {
  return async (report) => {
    for (;;) {
      try {
        return await client.simulations.bridge({ simulationId, projectId, ...report }, { signal });
      } catch (error) {
        if (!isRetryable(error) || signal.aborted) throw error;
        await pause(RETRY_MS);
      }
    }
  };
}

/** Returns undefined when the simulation has already ended. */
export async function waitForConversation(
  bridge: Bridge,
  signal: AbortSignal,
): Promise<{ attempt: number | undefined; tools: NonNullable<BridgeAnswer["tools"]> } | undefined> {
  while (!signal.aborted) {
    const { over, attempt, tools } = await bridge({ starting: true });
    if (over) return undefined;
    if (tools !== undefined) return { attempt, tools };
    await pause(RETRY_MS);
  }
  return undefined;
}

export async function carryConversation(bridge: Bridge, agent: AgentConversation, signal: AbortSignal): Promise<void> {
  let report: BridgeReport = await reportOf(0, agent.greeting());
  while (!signal.aborted) {
    const sentMs = Date.now();
    const { over, message } = await bridge(report);
    if (over) return;
    if (message !== null) report = await reportOf(message.number, agent.say(message.text));
    else if (report.failed === undefined) report = {};
    if (message === null && Date.now() - sentMs < FAST_ANSWER_MS) await pause(RETRY_MS);
  }
}

/** True for `conflict`: the service has not started the simulation yet, or starts it again. */
const isRetryable = (error: unknown): boolean =>
  isSvcError(error) &&
  (error.code === "conflict" ||
    error.code === "unreachable" ||
    error.code === "too_many_requests" ||
    error.status >= 502);

async function reportOf(toMessage: number, reply: Promise<AgentReply>): Promise<BridgeReport> {
  try {
    const { items, ended } = await reply;
    return { answered: { toMessage, ...reportedItems(items), ended } };
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    return { failed: { reason: error.reason, message: error.message.slice(0, LIMITS.behaviorCharacters) } };
  }
}

function reportedItems(items: readonly SessionItem[]): Pick<ReportedReply, "messages" | "toolCalls"> {
  const outputs = new Map(items.flatMap((item) => (item.kind === "output" ? [[item.callId, item] as const] : [])));
  const messages = items.flatMap((item) =>
    item.kind === "message" && item.role === "agent" && item.text.trim() !== "" ? [item.text] : [],
  );
  let hasOpenCall = false;
  const toolCalls = items.flatMap((item) => {
    if (item.kind === "output") hasOpenCall = false;
    if (item.kind !== "call" || item.name === "") return [];
    const output = outputs.get(item.callId);
    const isParallel = hasOpenCall;
    hasOpenCall = true;
    return {
      id: item.callId.slice(0, ID_CHARACTERS_MAX),
      name: item.name.slice(0, LIMITS.nameCharacters),
      arguments: parseJson(item.arguments),
      result: output === undefined || output.isError ? null : parseJson(output.output),
      error: output?.isError ? output.output.slice(0, LIMITS.behaviorCharacters) || "failed" : null,
      ...(isParallel && { isParallel }),
    };
  });
  return {
    messages: messages.slice(0, MESSAGES_MAX).map((message) => message.slice(0, LIMITS.scenarioCharacters)),
    toolCalls: toolCalls.slice(0, TOOL_CALLS_MAX),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
