import {
  awaitedNumberOf,
  type Answer,
  CONNECTION_OPTIONS,
  type ConnectionTry,
  LIMITS,
  type Operations,
} from "@svc/contract";
import { hang, oneLine, paint } from "../terminal/output.ts";
import { isSvcError } from "../refusal.ts";
import { lineLines } from "../traces/line-text.ts";
import type { Session } from "../session/session.ts";

type Connection = Answer<Operations["connections"]["get"]>["connection"];

/** Longer than the time limit of other requests, because a try includes a short conversation. */
const TIMEOUT_MS = 90_000;

type TriedConnection = {
  agentId: string;
  connectionId: string;
  projectId: string | undefined;
  message?: string | undefined;
  furtherMessages?: string[] | undefined;
  staysOpen?: boolean | undefined;
  conversationId?: string | undefined;
};

/** Returns whether a conversation over connections of this type is in writing, so that it can stay open. */
export const isInWriting = ({ connectionType }: Pick<Connection, "connectionType">): boolean =>
  CONNECTION_OPTIONS.some((type) => type.connectionType === connectionType && type.plays.text);

/** Returns what happens while the service tries a connection. */
export function tryProgress(connection: Pick<Connection, "connectionType" | "config">): string {
  const number = awaitedNumberOf(connection);
  if (number === undefined) return "Trying the connection…";
  return `Waiting at most ${LIMITS.connectionTryWaitSeconds} s for a call: let the agent call ${number} now…`;
}

export const tryConnection = ({ client }: Session, input: TriedConnection): Promise<ConnectionTry> =>
  client.connections.try(input, { timeoutMs: TIMEOUT_MS });

/** When the service rejects the request, prints the reason and returns null. */
export async function tryNewConnection(
  session: Session,
  { agentId, id, projectId }: Connection,
  note: (text: string) => void,
): Promise<ConnectionTry | null> {
  try {
    return await tryConnection(session, { agentId, connectionId: id, projectId });
  } catch (error) {
    if (!isSvcError(error)) throw error;
    note(`The connection is added and was not tried: ${error.message}`);
    return null;
  }
}

const MARKS = { done: "✓", failed: "✗", skipped: "·" } as const;
const STEP_NAMES: Record<ConnectionTry["steps"][number]["step"], string> = {
  prepare: "prepare",
  connect: "connect",
  greeting: "greeting",
  answer: "answer",
  hang_up: "hang up",
};

const turnLine = ({ role, text }: ConnectionTry["turns"][number]): string =>
  `${role}: ${text === null ? "(speech, words unknown)" : hang(oneLine(text), 10)}`;

const toolLine = ({ name, arguments: given, mocked, error }: ConnectionTry["toolCalls"][number]): string =>
  `tool ${name}(${hang(oneLine(given), 10)}): ${error ?? (mocked ? "mocked" : "answered")}`;

/** Returns the agent's words and tool calls as lines. */
export const spokenLines = ({ turns, toolCalls }: ConnectionTry): string[] => [
  ...toolCalls.map(toolLine),
  ...turns.filter(({ role }) => role === "agent").map(turnLine),
];

export function tryText({ result, message, steps, turns, toolCalls, sound, line }: ConnectionTry): string {
  const title = { works: paint.green("Works."), fails: paint.red("Does not work."), not_tried: "Not tried." }[result];
  const stepLines = steps.map(({ step, result: outcome, durationMs, message: why }) => {
    const duration = durationMs === null ? "" : `${durationMs} ms`;
    const about = outcome !== "done" && why !== null && why !== message ? `  ${hang(why, 24)}` : "";
    return `  ${MARKS[outcome]} ${STEP_NAMES[step].padEnd(9)} ${duration.padStart(9)}${about}`.trimEnd();
  });
  const soundLines = sound === null ? [] : [`  ${soundText(sound)}`];
  const parts = [
    [`${title} ${message}`],
    stepLines,
    [...turns.map(turnLine), ...toolCalls.map(toolLine)].map((text) => `  ${text}`),
    soundLines,
    lineLines(line, "  "),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n");
}

function soundText({ firstSoundMs, agentSpeechMs, isTimingReliable }: NonNullable<ConnectionTry["sound"]>): string {
  if (firstSoundMs === null) return "No speech of the agent was heard.";
  const doubt = isTimingReliable ? "" : " The service was busy, so these times are not reliable.";
  return `Heard ${agentSpeechMs} ms of speech, the first after ${firstSoundMs} ms.${doubt}`;
}
