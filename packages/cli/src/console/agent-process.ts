import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { clean } from "../terminal-text.ts";
import {
  askState,
  type Item,
  playbackFinished,
  readMessage,
  type Received,
  runInput,
  withoutAudio,
} from "./session-messages.ts";

/** What the agent did about one thing that was said to it. */
export type Done = { items: Item[]; ended: boolean };

type FailureReason = "agent_never_joined" | "agent_error" | "connection_refused";

/** Why a conversation with the agent's process cannot go on; the message ends with what the process last printed. */
export class AgentFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.name = "AgentFailure";
    this.reason = reason;
  }
}

export type AgentProcess = {
  /** Waits until the process has connected; what the agent says by itself when the conversation begins. */
  greeting(): Promise<Done>;
  say(text: string): Promise<Done>;
  /** Ends the process and all that it started: politely, then by force. */
  stop(): Promise<void>;
  /** The same at once, for the end of this program. */
  kill(): void;
};

type Response = Extract<Received, { kind: "response" }>;

const CONNECT_TIMEOUT_MS = 50_000;
const ANSWER_TIMEOUT_MS = 110_000;
const REQUEST_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 15_000;
const STATE_EVERY_MS = 150;
/** So many looks in a row at an agent that neither thinks nor speaks: it has said what it had to say. */
const QUIET_LOOKS = 2;
const STOP_TIMEOUT_MS = 10_000;
const LAST_SPANS_MS = 4_000;
const STOP_LOOK_MS = 50;
const EXIT_TOLD_AFTER_MS = 2_000;
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;
const TAIL_CHARACTERS = 1_000;
/** Where in a command the address belongs; without it, the arguments of the framework's JavaScript are appended. */
const ADDRESS = "{address}";
const NOTHING_TO_SAY = /no response items/;

/**
 * Starts an agent on LiveKit Agents in a process of its own and speaks to it by text, over the session transport of its
 * `console` command: the agent connects to a port of this program, and each message is four bytes of length and a protobuf.
 */
export async function startAgentProcess(command: string, env: Record<string, string>): Promise<AgentProcess> {
  const server = createServer({ noDelay: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const child = spawn(commandLine(command, `127.0.0.1:${(server.address() as AddressInfo).port}`), {
    shell: true,
    // A process group of its own, so that its end is the end of all that it started.
    detached: process.platform !== "win32",
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tail = tailOf(child);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`));
  });
  const running = { child, exited, tail };
  const conversation = connectionTo(server, running).then((socket) => conversationOver(socket, running));
  const closed = conversation.then(
    (one) => one.closed,
    () => {},
  );
  let stopped: Promise<void> | undefined;
  return {
    greeting: async () => (await conversation).greeting(),
    say: async (text) => (await conversation).say(text),
    stop: () => (stopped ??= stopProcess(child, server, closed)),
    kill: () => signalTo(child, "SIGKILL"),
  };
}

const commandLine = (command: string, address: string) =>
  command.includes(ADDRESS) ? command.replaceAll(ADDRESS, address) : `${command} console --connect-addr ${address}`;

type Conversation = Pick<AgentProcess, "greeting" | "say"> & { closed: Promise<unknown> };
type Running = { child: ChildProcess; exited: Promise<string>; tail: () => string };

function connectionTo(server: Server, { exited, tail }: Running): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(
        new AgentFailure(
          "agent_never_joined",
          `The agent's process did not connect within ${CONNECT_TIMEOUT_MS / 1000} s: does it take \`console --connect-addr\`?${tail()}`,
        ),
      );
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    server.once("connection", (socket) => {
      clearTimeout(timer);
      resolve(socket);
    });
    const early = async () => {
      const how = await exited;
      clearTimeout(timer);
      reject(new AgentFailure("connection_refused", `The agent's process ${how} before it connected.${tail()}`));
    };
    void early();
  });
}

function conversationOver(socket: Socket, { child, exited, tail }: Running): Conversation {
  const waiting = new Map<string, (response: Response) => void>();
  const heard: Item[] = [];
  const closed = Promise.withResolvers<"closed">();
  let requests = 0;
  const send = (message: Uint8Array) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(message.length);
    socket.write(Buffer.concat([head, message]));
  };
  socket.on("error", () => socket.destroy());
  socket.once("close", () => closed.resolve("closed"));
  void exited.then(() => socket.destroy());
  onMessages(socket, (bytes) => {
    const received = readMessage(bytes);
    if (received.kind === "item") heard.push(received.item);
    else if (received.kind === "playback") send(playbackFinished());
    else if (received.kind === "response") waiting.get(received.requestId)?.(received);
  });

  /** Undefined when no response came in time, or none will. */
  async function ask(message: (requestId: string) => Uint8Array, timeoutMs: number): Promise<Response | undefined> {
    const requestId = `svc-${++requests}`;
    const response = new Promise<Response>((resolve) => waiting.set(requestId, resolve));
    const late = new AbortController();
    if (!socket.destroyed) send(message(requestId));
    const answered = await Promise.race([
      response,
      closed.promise,
      pause(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    waiting.delete(requestId);
    return typeof answered === "object" ? answered : undefined;
  }

  /** The agent hung up when it ended well, or goes on running without the conversation. */
  async function hungUp(): Promise<Done> {
    const ending = await Promise.race([exited, pause(EXIT_TOLD_AFTER_MS, undefined, { ref: false })]);
    if (ending !== undefined && child.exitCode !== 0)
      throw new AgentFailure("agent_error", `The agent's process ${ending}.${tail()}`);
    return { items: heard.splice(0), ended: true };
  }

  return {
    closed: closed.promise,

    async greeting() {
      await ask(withoutAudio, REQUEST_TIMEOUT_MS);
      const untilMs = Date.now() + GREETING_TIMEOUT_MS;
      for (let quiet = 0; quiet < QUIET_LOOKS && Date.now() < untilMs && !socket.destroyed;) {
        await pause(STATE_EVERY_MS);
        const state = await ask(askState, REQUEST_TIMEOUT_MS);
        quiet = state?.isBusy === true ? 0 : quiet + 1;
      }
      return socket.destroyed ? hungUp() : { items: heard.splice(0), ended: false };
    },

    async say(said) {
      heard.length = 0;
      const response = await ask((requestId) => runInput(requestId, said), ANSWER_TIMEOUT_MS);
      if (socket.destroyed && response === undefined) return hungUp();
      if (response === undefined)
        throw new AgentFailure(
          "agent_error",
          `The agent did not answer within ${ANSWER_TIMEOUT_MS / 1000} s.${tail()}`,
        );
      const { error, items } = response;
      if (error !== undefined && !NOTHING_TO_SAY.test(error))
        throw new AgentFailure("agent_error", `The agent failed: ${error}.${tail()}`);
      return { items, ended: socket.destroyed };
    },
  };
}

/** Calls `take` with each whole message; a stream that is none is cut. */
function onMessages(socket: Socket, take: (bytes: Uint8Array) => void): void {
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
        take(all.subarray(4, needed));
      } catch {
        return void socket.destroy();
      }
      parts = [all.subarray(needed)];
      length -= needed;
    }
  });
}

async function stopProcess(child: ChildProcess, server: Server, closed: Promise<unknown>): Promise<void> {
  server.close();
  let untilMs = Date.now() + STOP_TIMEOUT_MS;
  // The framework keeps the process alive for nothing; only its shutdown callbacks come after the end of the session.
  void closed.then(() => (untilMs = Math.min(untilMs, Date.now() + LAST_SPANS_MS)));
  // A shell between may end before the agent, which still sends its last spans.
  for (let runs = signalTo(child, "SIGTERM"); runs && Date.now() < untilMs; runs = signalTo(child, 0))
    await pause(STOP_LOOK_MS);
  signalTo(child, "SIGKILL");
}

/** Signals the process and all that it started; false when none of them is left. */
function signalTo(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  if (process.platform === "win32") return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

/** The last that the process printed, as the end of a message. */
function tailOf({ stdout, stderr }: ChildProcess): () => string {
  let printed = "";
  const keep = (text: string) => (printed = (printed + text).slice(-TAIL_CHARACTERS));
  stdout?.setEncoding("utf8").on("data", keep);
  stderr?.setEncoding("utf8").on("data", keep);
  return () => (printed.trim() === "" ? "" : ` It printed last:\n${clean(printed.trim())}`);
}
