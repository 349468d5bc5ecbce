import { setTimeout as pause } from "node:timers/promises";
import type { Input, Operations } from "@svc/contract";
import { LIMITS } from "@svc/contract/constants";
import type { Connection } from "../connection.ts";
import { isSvcError } from "../refusal.ts";
import { AgentFailure, type AgentProcess, type Done } from "./agent-process.ts";
import type { Item } from "./session-messages.ts";

type Carried = Input<Operations["simulations"]["bridge"]>;
type Sent = Pick<Carried, "starting" | "answered" | "failed">;
type Answered = NonNullable<Carried["answered"]>;
type Failed = NonNullable<Carried["failed"]>;

const MESSAGES_MAX = 20;
const TOOL_CALLS_MAX = 32;
const ID_CHARACTERS_MAX = 200;
const ASK_AGAIN_MS = 300;
/** The service holds a request for 25 s; an empty answer that comes sooner must not make a busy loop. */
const HELD_MS = 1_000;

export type Bridge = ReturnType<typeof openBridge>;

/** Asks the service about one conversation, until it answers or the signal aborts. What is sent twice counts once. */
export function openBridge({ client, project: projectId }: Connection, simulationId: string, signal: AbortSignal) {
  return async (send: Sent) => {
    for (;;) {
      try {
        return await client.simulations.bridge({ simulationId, projectId, ...send }, { signal });
      } catch (error) {
        if (!mayPass(error) || signal.aborted) throw error;
        await pause(ASK_AGAIN_MS);
      }
    }
  };
}

/** What an agent's process calls in place of its own tools; undefined when the conversation is over already. */
export async function mockedTools(bridge: Bridge, signal: AbortSignal) {
  while (!signal.aborted) {
    const { over, tools } = await bridge({ starting: true });
    if (over) return undefined;
    if (tools !== undefined) return tools;
    await pause(ASK_AGAIN_MS);
  }
  return undefined;
}

/** Carries one conversation between the service and an agent's process, until the service says that it is over. */
export async function carry(
  bridge: Bridge,
  agent: Pick<AgentProcess, "greeting" | "say">,
  signal: AbortSignal,
): Promise<void> {
  let send: Sent = await did(0, agent.greeting());
  while (!signal.aborted) {
    const askedMs = Date.now();
    const answer = await bridge(send);
    if (answer.over) return;
    if (answer.message !== null) send = await did(answer.message.number, agent.say(answer.message.text));
    else if (send.failed === undefined) send = {};
    if (answer.message === null && Date.now() - askedMs < HELD_MS) await pause(ASK_AGAIN_MS);
  }
}

/** `conflict`: the service has not opened the conversation yet, or plays it again after a restart. */
const mayPass = (error: unknown): boolean =>
  isSvcError(error) &&
  (error.code === "conflict" ||
    error.code === "unreachable" ||
    error.code === "too_many_requests" ||
    error.status >= 502);

async function did(toMessage: number, doing: Promise<Done>): Promise<{ answered: Answered } | { failed: Failed }> {
  try {
    const { items, ended } = await doing;
    return { answered: { toMessage, ...answerOf(items), ended } };
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    return { failed: { reason: error.reason, message: error.message.slice(0, LIMITS.behaviorCharacters) } };
  }
}

function answerOf(items: readonly Item[]): Pick<Answered, "messages" | "toolCalls"> {
  const outputs = new Map(items.flatMap((item) => (item.kind === "output" ? [[item.callId, item] as const] : [])));
  const messages = items.flatMap((item) =>
    item.kind === "message" && item.role === "agent" && item.text.trim() !== "" ? [item.text] : [],
  );
  const toolCalls = items.flatMap((item) => {
    if (item.kind !== "call" || item.name === "") return [];
    const output = outputs.get(item.callId);
    return {
      id: item.callId.slice(0, ID_CHARACTERS_MAX),
      name: item.name.slice(0, LIMITS.nameCharacters),
      arguments: parsed(item.arguments),
      result: output === undefined || output.isError ? null : parsed(output.output),
      error: output?.isError ? output.output.slice(0, LIMITS.behaviorCharacters) || "failed" : null,
    };
  });
  return {
    messages: messages.slice(0, MESSAGES_MAX).map((message) => message.slice(0, LIMITS.scenarioCharacters)),
    toolCalls: toolCalls.slice(0, TOOL_CALLS_MAX),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
