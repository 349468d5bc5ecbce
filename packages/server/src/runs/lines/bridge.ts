import { createRunningLimit } from "../../base/async/event-loop-stalls.ts";
import { type Changes, createChanges } from "../changes.ts";
import { type AgentLine, type AgentTurn, LineFailure, type ToolUse } from "./line.ts";
import type { SimulationRow } from "../rules.ts";
import type { Relay } from "./relay.ts";
import type { ToolCallback } from "./tool-callbacks.ts";

const JOIN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 120_000;
/**
 * Time after a conversation's end for which its mailbox still tells the client that the conversation is over. After this time, the
 * simulation's row tells it.
 */
const ENDED_KEPT_MS = 60_000;

type AgentReply = {
  toMessage: number;
  messages: string[];
  toolCalls: (Omit<ToolUse, "mocked" | "startedMs" | "endedMs"> & { isParallel?: boolean | undefined })[];
  ended: boolean;
};

type AgentFailure = { reason: "agent_never_joined" | "agent_error" | "connection_refused"; message: string };

type ClientReport = {
  starting?: boolean | undefined;
  answered?: AgentReply | undefined;
  failed?: AgentFailure | undefined;
};

type Delivery = {
  message: { number: number; text: string } | null;
  over: boolean;
  attempt?: number;
  tools?: { names: string[]; token: string };
};

type Mailbox = {
  /** False until this attempt's client reports `starting`. Earlier reports can be from the client of a previous attempt. */
  isStarted: boolean;
  attempt: number;
  tools: NonNullable<Delivery["tools"]>;
  message: Delivery["message"];
  over: boolean;
  joined: (greeting: AgentReply | undefined) => void;
  answer: ((reply: AgentReply) => void) | undefined;
  fail: (failure: AgentFailure) => void;
};

/** Conversations with agents that only a client's machine can reach. The client passes the messages between the agent and the service. */
export type Bridges = {
  createLine: (simulationId: string, attempt: number, toolNames: string[], callback: ToolCallback) => AgentLine;
  /**
   * Passes the client's report to the simulation's line, which can be in another process. Waits for the caller's next message, at
   * most `waitMs`. Returns undefined when the simulation has no conversation in progress.
   */
  carry: (
    simulation: Pick<SimulationRow, "id" | "attempt" | "status">,
    report: ClientReport,
    waitMs: number,
    signal: AbortSignal,
  ) => Promise<Delivery | undefined>;
};

export function createBridges(relay: Relay): Bridges {
  const mailboxes = new Map<string, Mailbox>();
  const changes = createChanges();

  return {
    createLine(simulationId, attempt, toolNames, callback) {
      const failure = Promise.withResolvers<never>();
      failure.promise.catch(() => {});
      const joined = Promise.withResolvers<AgentReply | undefined>();
      const mailbox: Mailbox = {
        isStarted: !mailboxes.has(simulationId),
        attempt,
        tools: { names: toolNames, token: callback.token },
        message: null,
        over: false,
        joined: joined.resolve,
        answer: undefined,
        fail: ({ reason, message }) => failure.reject(new LineFailure(reason, message)),
      };
      mailboxes.set(simulationId, mailbox);
      const release = relay.hold(holderOf(simulationId, attempt), (request, within) => {
        const { report, waitMs } = request as { report: ClientReport; waitMs: number };
        return carryTo(mailbox, simulationId, report, waitMs, within);
      });
      const forget = () => {
        release();
        if (mailboxes.get(simulationId) === mailbox) mailboxes.delete(simulationId);
      };
      const turnOf = ({ messages, toolCalls, ended }: AgentReply, startedMs: number): AgentTurn => ({
        messages,
        toolUses: inOrder(toolCalls, callback.take(), startedMs),
        ended,
        transferred: false,
      });

      return {
        callsToolsBack: true,

        async open(signal) {
          const late = new LineFailure(
            "agent_never_joined",
            "No client carried the conversation to the agent: keep `svc runs start --agent-command` running until the run ends.",
          );
          const startedMs = Date.now();
          const greeting = await within(Promise.race([joined.promise, failure.promise]), signal, JOIN_TIMEOUT_MS, late);
          const saysNothing = greeting === undefined || (greeting.messages.length === 0 && !greeting.ended);
          return saysNothing ? null : turnOf(greeting, startedMs);
        },

        async say(text, signal) {
          const startedMs = Date.now();
          const late = new LineFailure("agent_error", `The agent did not answer within ${ANSWER_TIMEOUT_MS / 1000} s.`);
          const reply = deliver(simulationId, mailbox, text, changes);
          const answered = await within(Promise.race([reply, failure.promise]), signal, ANSWER_TIMEOUT_MS, late);
          return turnOf(answered, startedMs);
        },

        async close() {
          mailbox.over = true;
          changes.changed(simulationId);
          setTimeout(forget, ENDED_KEPT_MS).unref();
          callback.end();
        },
      };
    },

    async carry({ id, attempt, status }, report, waitMs, signal) {
      const isUnderWay = status === "claimed" || status === "running";
      const mailbox = mailboxes.get(id);
      // The mailbox in this process can belong to an old attempt, while another process plays the current one.
      if (mailbox && !(isUnderWay && mailbox.attempt < attempt)) return carryTo(mailbox, id, report, waitMs, signal);
      if (!isUnderWay) return undefined;
      const relayed = await relay.ask(holderOf(id, attempt), { report, waitMs }, signal);
      return relayed?.answer as Delivery | undefined;
    },
  };

  async function carryTo(
    mailbox: Mailbox,
    simulationId: string,
    { starting, answered, failed }: ClientReport,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { attempt, tools, over } = mailbox;
    if (starting) {
      mailbox.isStarted = true;
      return { message: null, over, attempt, tools };
    }
    if (!mailbox.isStarted) return { message: null, over: true };
    if (failed) mailbox.fail(failed);
    else mailbox.joined(answered?.toMessage === 0 ? answered : undefined);
    if (answered) mailbox.answer?.(answered);
    const isReady = () => mailbox.over || mailbox.answer !== undefined;
    if (!isReady()) await changes.next(simulationId, waitMs, signal);
    return { message: mailbox.answer === undefined ? null : mailbox.message, over: mailbox.over };
  }
}

const holderOf = (simulationId: string, attempt: number) => `bridge-${simulationId}-${attempt}`;

/** Puts the caller's message into the mailbox and resolves with the agent's reply to this message. Ignores other replies. */
function deliver(simulationId: string, mailbox: Mailbox, text: string, changes: Changes): Promise<AgentReply> {
  const number = (mailbox.message?.number ?? 0) + 1;
  const answered = Promise.withResolvers<AgentReply>();
  mailbox.answer = (reply) => {
    if (reply.toMessage !== number) return;
    mailbox.answer = undefined;
    answered.resolve(reply);
  };
  mailbox.message = { number, text };
  changes.changed(simulationId);
  return answered.promise;
}

/**
 * Returns tool calls in the order that the agent's process reported. Call ids can repeat or be missing. The times of an unmocked call are
 * estimates between the mocked calls before and after this call. An unmocked call ends before the next unmocked call begins, unless the
 * process reports both calls as parallel.
 */
function inOrder(reported: AgentReply["toolCalls"], mocked: ToolUse[], startedMs: number): ToolUse[] {
  const endedMs = Date.now();
  const matches = reported.map((call) => {
    const at = mocked.findIndex(({ id, name }) => (id === null || id === call.id) && name === call.name);
    return at === -1 ? undefined : mocked.splice(at, 1)[0];
  });
  let fromMs = startedMs;
  let untilMs = startedMs;
  const uses = reported.map(({ isParallel, ...call }, at): ToolUse => {
    const match = matches[at];
    if (match !== undefined) {
      fromMs = untilMs = match.endedMs;
      return { ...match, id: call.id, arguments: call.arguments };
    }
    if (!isParallel || matches[at - 1] !== undefined) {
      const nextMocked = matches.findIndex((use, later) => later > at && use !== undefined);
      const rest = reported.slice(at, nextMocked < 0 ? undefined : nextMocked);
      const steps = 1 + rest.slice(1).filter((later) => !later.isParallel).length;
      const limitMs = nextMocked < 0 ? endedMs : matches[nextMocked]!.startedMs;
      fromMs = untilMs;
      untilMs = fromMs + Math.max(rest[1]?.isParallel ? 1 : 0, Math.floor((limitMs - fromMs) / steps));
    }
    return { ...call, mocked: false, startedMs: fromMs, endedMs: untilMs };
  });
  return [...uses, ...mocked];
}

function within<T>(promise: Promise<T>, signal: AbortSignal, timeoutMs: number, late: Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = createRunningLimit(timeoutMs);
    limit.signal.addEventListener("abort", () => reject(late), { once: true });
    const canceled = () => reject(signal.reason as Error);
    signal.addEventListener("abort", canceled, { once: true });
    if (signal.aborted) canceled();
    promise.then(resolve, reject).finally(() => {
      limit.clear();
      signal.removeEventListener("abort", canceled);
    });
  });
}
