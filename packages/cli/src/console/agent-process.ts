import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type AgentConversation, AgentFailure, createConversation, type RunningProcess } from "./agent-conversation.ts";
import { keepOutput } from "./process-output.ts";

/** The conversation starts when the process connects. */
export type AgentProcess = AgentConversation & {
  /** Ends the process and all processes that it started. Sends SIGTERM, and kills the processes that are still alive some seconds later. */
  stop(): Promise<void>;
  kill(): void;
  /** The last line that the process wrote about spans that were not delivered. */
  spanProblem(): string | undefined;
};

const CONNECT_TIMEOUT_MS = 50_000;
/** Time to wait for the rest of an error's text after a job failed. The framework does not end the process of a failed job. */
const ERROR_TEXT_MS = 500;
const STOP_TIMEOUT_MS = 10_000;
const LAST_SPANS_MS = 4_000;
const POLL_MS = 50;
/** A command without this placeholder for the address gets the arguments of the framework's console. */
const ADDRESS = "{address}";

/**
 * Starts an agent that uses LiveKit Agents in a new process, for a conversation by text. The agent connects to a port of this program
 * with the session transport of the framework's `console` command. No error message contains one of the `secrets`.
 */
export async function startAgentProcess(
  command: string,
  env: Record<string, string>,
  secrets: readonly string[] = [],
): Promise<AgentProcess> {
  const server = createServer({ noDelay: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const child = spawn(commandLine(command, `127.0.0.1:${(server.address() as AddressInfo).port}`), {
    shell: true,
    // A separate process group, so that a signal reaches all processes that the command starts.
    detached: process.platform !== "win32",
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = keepOutput(child, secrets);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not start: ${error.message}`));
    child.once("exit", (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`));
  });
  const running = { child, exited, output };
  const conversation = waitForConnection(server, running).then((socket) => createConversation(socket, running));
  const closed = conversation.then(
    (one) => one.closed,
    () => {},
  );
  let stopped: Promise<void> | undefined;
  return {
    greeting: async () => (await conversation).greeting(),
    say: async (text) => (await conversation).say(text),
    stop: () => (stopped ??= stopProcess(child, server, closed)),
    kill: () => sendSignal(child, "SIGKILL"),
    spanProblem: output.spanProblem,
  };
}

const commandLine = (command: string, address: string) =>
  command.includes(ADDRESS) ? command.replaceAll(ADDRESS, address) : `${command} console --connect-addr ${address}`;

/** Resolves when the process connects. Rejects when the process ends, when its job fails, or after 50 seconds. */
async function waitForConnection(server: Server, { exited, output }: RunningProcess): Promise<Socket> {
  const waiting = new AbortController();
  const after = (ms: number) => pause(ms, undefined, { signal: waiting.signal });
  const fail = (reason: AgentFailure["reason"], text: string): never => {
    throw new AgentFailure(reason, `The agent's process ${text}${output.ending()}`);
  };
  const connected = once(server, "connection", { signal: waiting.signal }).then(([socket]) => socket as Socket);
  const ended = exited.then((exit) => fail("connection_refused", `${exit} before it connected.`));
  const late = after(CONNECT_TIMEOUT_MS).then(() =>
    fail(
      "agent_never_joined",
      `did not connect within ${CONNECT_TIMEOUT_MS / 1000} s. Check that it accepts \`console --connect-addr\`.`,
    ),
  );
  const failed = (async () => {
    while (!output.hasFailedJob()) await after(POLL_MS);
    await after(ERROR_TEXT_MS);
    return fail("agent_never_joined", "reported that its job failed, and did not connect.");
  })();
  try {
    return await Promise.race([connected, ended, late, failed]);
  } finally {
    waiting.abort();
    for (const other of [connected, ended, late, failed]) other.catch(() => {});
  }
}

async function stopProcess(child: ChildProcess, server: Server, closed: Promise<void>): Promise<void> {
  server.close();
  let untilMs = Date.now() + STOP_TIMEOUT_MS;
  // After the session, the process does not end by itself. Only its shutdown callbacks still have to finish.
  void closed.then(() => (untilMs = Math.min(untilMs, Date.now() + LAST_SPANS_MS)));
  // When a shell runs the agent, the shell may end while the agent still sends its last spans.
  for (let isAlive = sendSignal(child, "SIGTERM"); isAlive && Date.now() < untilMs; isAlive = sendSignal(child, 0))
    await pause(POLL_MS);
  sendSignal(child, "SIGKILL");
}

/** Sends a signal to the process and all processes that it started. Returns false when none of them is alive. */
function sendSignal(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  if (process.platform === "win32") return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
