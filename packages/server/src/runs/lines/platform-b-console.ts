import { openChanges } from "../changes.ts";
import { type AgentLine, type AgentTurn, LineFailure, type ToolUse } from "./line.ts";

const JOIN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 120_000;
/** After its end, for those who still ask; by then its simulation tells that it is over. */
const KEPT_MS = 60_000;

type Carried = {
  message: { number: number; text: string } | null;
  over: boolean;
  tools?: { names: string[]; token: string };
};
type Answered = {
  toMessage: number;
  messages: string[];
  toolCalls: Omit<ToolUse, "mocked" | "startedMs" | "endedMs">[];
  ended: boolean;
};
type Carrying = { starting?: boolean | undefined; answered?: Answered | undefined; failed?: Failed | undefined };
type Failed = { reason: "agent_never_joined" | "agent_error" | "connection_refused"; message: string };

/** What the agent's process calls back in place of its own tools, and what it called since the last time. */
type MockedTools = { names: string[]; token: string; take: () => ToolUse[] };

type Mailbox = {
  tools: Pick<MockedTools, "names" | "token">;
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
    line(simulationId: string, { names, token, take }: MockedTools): AgentLine {
      const failure = Promise.withResolvers<never>();
      failure.promise.catch(() => {});
      const joined = Promise.withResolvers<Answered | undefined>();
      const mailbox: Mailbox = {
        tools: { names, token },
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
        return { messages, toolUses: inOrder(toolCalls, take(), startedMs), ended, transferred: false };
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
      { starting, answered, failed }: Carrying,
      waitMs: number,
      signal: AbortSignal,
    ): Promise<Carried | undefined> {
      const mailbox = mailboxes.get(simulationId);
      if (!mailbox) return undefined;
      const { tools, over } = mailbox;
      if (starting) return { message: null, over, tools };
      if (failed) mailbox.fail(failed);
      else mailbox.joined(answered?.toMessage === 0 ? answered : undefined);
      if (answered) mailbox.answer?.(answered);
      const ready = () => mailbox.over || mailbox.answer !== undefined;
      if (!ready()) await changes.next(simulationId, waitMs, signal);
      return { message: mailbox.answer === undefined ? null : mailbox.message, over: mailbox.over };
    },
  };
}

/** As the process told them, a call of its own after the mocked one before it. An id may come again, or not be known. */
function inOrder(told: Answered["toolCalls"], mocked: ToolUse[], startedMs: number): ToolUse[] {
  const endedMs = Date.now();
  let fromMs = startedMs;
  const uses = told.map((call) => {
    const at = mocked.findIndex(({ id, name }) => (id === null || id === call.id) && name === call.name);
    if (at === -1) return { ...call, mocked: false, startedMs: fromMs, endedMs };
    const [use] = mocked.splice(at, 1);
    fromMs = use!.endedMs;
    return { ...use!, id: call.id, arguments: call.arguments };
  });
  return [...uses, ...mocked];
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
