import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ProcessOutput } from "./process-output.ts";
import {
  decodeMessage,
  getState,
  playbackFinished,
  runInput,
  type SessionItem,
  type SessionMessage,
  turnOffAudio,
} from "./session-messages.ts";

/** `ended` is true when the agent hung up. */
export type AgentReply = { items: SessionItem[]; ended: boolean };

type FailureReason = "agent_never_joined" | "agent_error" | "connection_refused";

/** Error of a conversation that cannot continue. The message ends with the last output of the agent's process. */
export class AgentFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.name = "AgentFailure";
    this.reason = reason;
  }
}

export type AgentConversation = {
  /** Returns the messages of an agent that speaks first; no items from any other agent. */
  greeting(): Promise<AgentReply>;
  say(text: string): Promise<AgentReply>;
};

/** `exited` resolves to a description of its end, such as `ended with code 1`. */
export type RunningProcess = { child: ChildProcess; exited: Promise<string>; output: ProcessOutput };

type Response = Extract<SessionMessage, { kind: "response" }>;

const REPLY_TIMEOUT_MS = 110_000;
const REQUEST_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 15_000;
const STATE_EVERY_MS = 150;
/** Number of consecutive states, neither thinking nor speaking, after which the greeting has ended. */
const QUIET_STATES = 2;
const EXIT_WAIT_MS = 2_000;
const NOTHING_TO_SAY = /no response items/;

export function createConversation(
  socket: Socket,
  { child, exited, output }: RunningProcess,
): AgentConversation & { closed: Promise<void> } {
  const waiting = new Map<string, (response: Response) => void>();
  const spontaneous: SessionItem[] = [];
  const closed = Promise.withResolvers<void>();
  let requests = 0;
  /** Length of the process's output when the agent last answered. */
  let writtenBefore = output.length();
  socket.on("error", () => socket.destroy());
  socket.once("close", () => closed.resolve());
  void exited.then(() => socket.destroy());
  onMessages(socket, (bytes) => {
    const message = decodeMessage(bytes);
    if (message.kind === "item") spontaneous.push(message.item);
    else if (message.kind === "playback") sendMessage(socket, playbackFinished());
    else if (message.kind === "response") waiting.get(message.requestId)?.(message);
  });

  /** Returns undefined after the timeout, or when the socket closes. */
  async function request(encode: (requestId: string) => Uint8Array, timeoutMs: number): Promise<Response | undefined> {
    const requestId = `svc-${++requests}`;
    const response = new Promise<Response>((resolve) => waiting.set(requestId, resolve));
    const timeout = new AbortController();
    if (!socket.destroyed) sendMessage(socket, encode(requestId));
    const answer = await Promise.race([
      response,
      closed.promise,
      pause(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
    waiting.delete(requestId);
    return answer ?? undefined;
  }

  /**
   * Throws when the process exited with an error. Also throws when the process has logged an unhandled error. The framework then
   * closes the conversation, but the process continues.
   */
  async function hangUp(items: SessionItem[]): Promise<AgentReply> {
    const exit = await Promise.race([exited, pause(EXIT_WAIT_MS, undefined, { ref: false })]);
    if (exit !== undefined && child.exitCode !== 0)
      throw new AgentFailure("agent_error", `The agent's process ${exit}.${output.ending()}`);
    if (output.hasUnhandledError(writtenBefore))
      throw new AgentFailure(
        "agent_error",
        `The agent's process ended the conversation with an error.${output.ending()}`,
      );
    return { items, ended: true };
  }

  return {
    closed: closed.promise,

    async greeting() {
      await request(turnOffAudio, REQUEST_TIMEOUT_MS);
      const untilMs = Date.now() + GREETING_TIMEOUT_MS;
      for (let quiet = 0; quiet < QUIET_STATES && Date.now() < untilMs && !socket.destroyed;) {
        await pause(STATE_EVERY_MS);
        const state = await request(getState, REQUEST_TIMEOUT_MS);
        quiet = state?.isBusy === true ? 0 : quiet + 1;
      }
      const items = spontaneous.splice(0);
      if (socket.destroyed) return hangUp(items);
      writtenBefore = output.length();
      return { items, ended: false };
    },

    async say(text) {
      spontaneous.length = 0;
      const response = await request((requestId) => runInput(requestId, text), REPLY_TIMEOUT_MS);
      if (socket.destroyed && response === undefined) return hangUp(spontaneous.splice(0));
      if (response === undefined) {
        const seconds = REPLY_TIMEOUT_MS / 1000;
        throw new AgentFailure("agent_error", `The agent did not answer within ${seconds} s.${output.ending()}`);
      }
      const { error, items } = response;
      if (error !== undefined && !NOTHING_TO_SAY.test(error))
        throw new AgentFailure("agent_error", `The agent failed: ${error}.${output.ending()}`);
      if (socket.destroyed) return hangUp(items);
      writtenBefore = output.length();
      return { items, ended: false };
    },
  };
}

const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Sends one message: its length in four bytes, then its bytes. */
function sendMessage(socket: Socket, message: Uint8Array): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  socket.write(Buffer.concat([head, message]));
}

/** Destroys the socket when a message is too large or `receive` throws. */
function onMessages(socket: Socket, receive: (bytes: Uint8Array) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    length += part.length;
    while (length >= 4) {
      if (parts[0]!.length < 4) parts = [Buffer.concat(parts)];
      const needed = 4 + parts[0]!.readUInt32BE(0);
      if (needed > LARGEST_MESSAGE_BYTES) return void socket.destroy();
      if (length < needed) return;
      const all = Buffer.concat(parts);
      try {
        receive(all.subarray(4, needed));
      } catch {
        return void socket.destroy();
      }
      parts = [all.subarray(needed)];
      length -= needed;
    }
  });
}
