import { openChanges } from "../changes.ts";
import { type AgentLine, type AgentTurn, LineFailure, type ToolUse } from "./connection.ts";

const JOIN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 120_000;
/** After its end, for those who still ask; by then its simulation tells that it is over. */
const KEPT_MS = 60_000;

type Carried = { message: { number: number; text: string } | null; over: boolean };
type Answered = {
  toMessage: number;
  messages: string[];
  toolCalls: Omit<ToolUse, "mocked" | "startedMs" | "endedMs">[];
  ended: boolean;
};
type Failed = { reason: "agent_never_joined" | "agent_error" | "connection_refused"; message: string };

type Mailbox = {
  message: Carried["message"];
  over: boolean;
  joined: (greeting: Answered | undefined) => void;
  answer: ((answered: Answered) => void) | undefined;
  fail: (failed: Failed) => void;
};

export type Bridges = ReturnType<typeof openBridges>;

/** Conversations with agents that only the client's machine reaches: the client carries messages to and fro. */
export function openBridges() {
  const mailboxes = new Map<string, Mailbox>();
  const changes = openChanges();

  return {
    line(simulationId: string, mocked: (tool: string) => boolean): AgentLine {
      const failure = Promise.withResolvers<never>();
      failure.promise.catch(() => {});
      const joined = Promise.withResolvers<Answered | undefined>();
      const mailbox: Mailbox = {
        message: null,
        over: false,
        joined: joined.resolve,
        answer: undefined,
        fail: ({ reason, message }) => failure.reject(new LineFailure(reason, message)),
      };
      mailboxes.set(simulationId, mailbox);

      const forget = () => {
        if (mailboxes.get(simulationId) === mailbox) mailboxes.delete(simulationId);
      };

      async function say(text: string, signal: AbortSignal): Promise<AgentTurn> {
        const number = (mailbox.message?.number ?? 0) + 1;
        const startedMs = Date.now();
        const answered = Promise.withResolvers<Answered>();
        mailbox.answer = (answer) => {
          if (answer.toMessage !== number) return;
          mailbox.answer = undefined;
          answered.resolve(answer);
        };
        mailbox.message = { number, text };
        changes.changed(simulationId);
        const answer = await within(
          Promise.race([answered.promise, failure.promise]),
          signal,
          ANSWER_TIMEOUT_MS,
          new LineFailure("agent_error", `The agent did not answer within ${ANSWER_TIMEOUT_MS / 1000} s.`),
        );
        return turnOf(answer, startedMs);
      }

      function turnOf({ messages, toolCalls, ended }: Answered, startedMs: number): AgentTurn {
        const endedMs = Date.now();
        const toolUses = toolCalls.map((call) => ({ ...call, mocked: mocked(call.name), startedMs, endedMs }));
        return { messages, toolUses, ended, transferred: false };
      }

      return {
        async open(signal) {
          const late = new LineFailure(
            "agent_never_joined",
            "Nobody carried the conversation to the agent: keep `svc runs start --agent-command` running until the run ends.",
          );
          const startedMs = Date.now();
          const greeting = await within(Promise.race([joined.promise, failure.promise]), signal, JOIN_TIMEOUT_MS, late);
          const saysNothing = greeting === undefined || (greeting.messages.length === 0 && !greeting.ended);
          return saysNothing ? null : turnOf(greeting, startedMs);
        },
        say,
        async close() {
          mailbox.over = true;
          changes.changed(simulationId);
          setTimeout(forget, KEPT_MS).unref();
        },
      };
    },

    /** Undefined when no conversation of this simulation is under way. */
    async carry(
      simulationId: string,
      { answered, failed }: { answered?: Answered | undefined; failed?: Failed | undefined },
      waitMs: number,
      signal: AbortSignal,
    ): Promise<Carried | undefined> {
      const mailbox = mailboxes.get(simulationId);
      if (!mailbox) return undefined;
      if (failed) mailbox.fail(failed);
      else mailbox.joined(answered?.toMessage === 0 ? answered : undefined);
      if (answered) mailbox.answer?.(answered);
      const ready = () => mailbox.over || mailbox.answer !== undefined;
      if (!ready()) await changes.next(simulationId, waitMs, signal);
      return { message: mailbox.answer === undefined ? null : mailbox.message, over: mailbox.over };
    },
  };
}

function within<T>(promise: Promise<T>, signal: AbortSignal, timeoutMs: number, late: Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), timeoutMs);
    const canceled = () => reject(signal.reason as Error);
    signal.addEventListener("abort", canceled, { once: true });
    if (signal.aborted) canceled();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", canceled);
    });
  });
}
