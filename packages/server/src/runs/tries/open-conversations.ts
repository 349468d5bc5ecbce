import { type ConnectionTry, LIMITS } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import type { AgentLine } from "../lines/line.ts";
import type { Relay } from "../lines/relay.ts";
import type { Held } from "./hold-conversation.ts";

/** What the caller says next in an open conversation, and over which connection. */
type Further = { projectId: string; connectionId: string; messages: readonly string[]; staysOpen: boolean };

type Conversation = {
  organizationId: string;
  projectId: string;
  connectionId: string;
  /** Says the messages over the line, and hears the answers. */
  goOn: (line: AgentLine, further: Further, signal: AbortSignal) => Promise<Held>;
};

type Waiting = Conversation & {
  id: string;
  line: AgentLine;
  /** Number of messages that the caller has said. */
  said: number;
  /** Undefined while the agent answers. */
  idle: { sinceMs: number; timer: NodeJS.Timeout } | undefined;
  release: () => void;
};

/** Bounds the open lines of all organizations, which an organization's own limit does not. */
const OF_PROCESS = 100;

/** Conversations of tries that stay open between two requests. Each is in the memory of the process that began it. */
export type OpenConversations = ReturnType<typeof createOpenConversations>;

export function createOpenConversations(relay: Relay, idleMs = LIMITS.openConversationSeconds * 1_000) {
  const open = new Map<string, Waiting>();

  async function end(one: Waiting): Promise<void> {
    forget(one);
    await one.line.close();
  }

  function forget(one: Waiting): void {
    clearTimeout(one.idle?.timer);
    one.release();
    open.delete(one.id);
  }

  /** Starts the time in which the next message must come. */
  function wait(one: Waiting): NonNullable<ConnectionTry["openConversation"]> {
    one.idle = { sinceMs: performance.now(), timer: setTimeout(() => void end(one), idleMs).unref() };
    return { id: one.id, openUntil: new Date(Date.now() + idleMs).toISOString() };
  }

  function endLongestIdle(among: readonly Waiting[]): void {
    const idle = among.filter((one) => one.idle !== undefined);
    const longest = idle.sort((one, other) => one.idle!.sinceMs - other.idle!.sinceMs)[0];
    if (longest !== undefined) void end(longest);
  }

  async function answer(one: Waiting, further: Further, signal: AbortSignal): Promise<ConnectionTry> {
    if (one.projectId !== further.projectId || one.connectionId !== further.connectionId) throw hasEnded();
    if (one.idle === undefined)
      throw new AppError("conflict", "The agent still answers an earlier message of this conversation. Wait for it.");
    clearTimeout(one.idle.timer);
    one.idle = undefined;
    one.said += further.messages.length;
    const staysOpen = further.staysOpen && one.said < LIMITS.openConversationMessages;
    let isOpen = false;
    try {
      const { tried, openLine } = await one.goOn(one.line, { ...further, staysOpen }, signal);
      isOpen = openLine !== null && open.has(one.id);
      return { ...tried, openConversation: isOpen ? wait(one) : null };
    } finally {
      if (!isOpen) forget(one);
    }
  }

  return {
    /** Keeps the line of a conversation until its next message. */
    keep(id: string, conversation: Conversation, line: AgentLine, said: number): ConnectionTry["openConversation"] {
      const own = [...open.values()].filter((one) => one.organizationId === conversation.organizationId);
      if (own.length >= LIMITS.openConversations) endLongestIdle(own);
      else if (open.size >= OF_PROCESS) endLongestIdle([...open.values()]);
      const one: Waiting = { ...conversation, id, line, said, idle: undefined, release: () => {} };
      one.release = relay.hold(holderOf(id), (further, signal) => answer(one, further as Further, signal));
      open.set(id, one);
      return wait(one);
    },

    /** Says messages in an open conversation, also when another process holds it. Throws `not_found` when it has ended. */
    async say(id: string, further: Further, signal: AbortSignal): Promise<ConnectionTry> {
      const own = open.get(id);
      if (own !== undefined) return answer(own, further, signal);
      const relayed = await relay.ask(holderOf(id), further, signal);
      signal.throwIfAborted();
      if (relayed === undefined) throw hasEnded();
      return relayed.answer as ConnectionTry;
    },

    async close(): Promise<void> {
      await Promise.all([...open.values()].map(end));
    },
  };
}

const holderOf = (id: string) => `try_${id}`;

const hasEnded = () =>
  new AppError(
    "not_found",
    "No conversation with this id is open over this connection. Leave out conversationId to begin another.",
  );
