import { type ConnectionTry, ENDING_REASONS, type EndingReason, LIMITS, TRY_STEPS } from "@svc/contract";
import type { CallSummary } from "../../voice/calls/call.ts";
import { createRunningLimit } from "../../base/async/event-loop-stalls.ts";
import { excerpt, jsonOf } from "../../grading/bounds.ts";
import { presentLine } from "../present-line.ts";
import { type AgentLine, type AgentTurn, type HeardTurn, LineFailure } from "../lines/line.ts";

type Step = ConnectionTry["steps"][number];
type StepName = Step["step"];

type TriedLine = {
  /**
   * Opens the connection to the agent. Rejects with a `LineFailure` when that is impossible. The line ends when the signal aborts.
   */
  createLine: (signal: AbortSignal) => Promise<AgentLine>;
  /** The line of a conversation that is open. Undefined starts a conversation. */
  openLine?: AgentLine | undefined;
  /** Whether the line stays open after the last answer. */
  staysOpen: boolean;
  /**
   * The caller's messages. The caller says each further message after the agent's answer to the previous message. Empty to end an
   * open conversation.
   */
  messages: readonly string[];
  silenceHint?: string | undefined;
  /** Returns the time in Unix milliseconds at which a call with sound connected. Null before, and for a text conversation. */
  connectedAtMs: () => number | null;
  signal: AbortSignal;
};

const TURN_CHARACTERS = 2_000;
const ARGUMENTS_CHARACTERS = 500;
/** Failures of a text conversation that mean that the agent's side did not accept the conversation. */
const NOT_REACHED = new Set<EndingReason>([
  "connection_refused",
  "credential_rejected",
  "media_unreachable",
  "rate_limited",
]);

/** Failures of an agent that accepted the conversation and then said nothing, or stopped speaking. */
const SILENT = new Set<EndingReason>(["agent_silent", "agent_never_joined"]);

/** `openLine` is the line that stays open; null when the conversation has ended. */
export type Held = { tried: Omit<ConnectionTry, "openConversation">; openLine: AgentLine | null };

/**
 * Tries a connection with one conversation, or with a part of one. Throws only when the signal aborts or the service has an unexpected
 * error; the conversation has then ended.
 */
export async function holdConversation({
  createLine,
  openLine,
  staysOpen,
  messages,
  silenceHint,
  connectedAtMs,
  signal,
}: TriedLine): Promise<Held> {
  const startedAtMs = Date.now();
  const limitSeconds =
    LIMITS.connectionTrySeconds + Math.max(0, messages.length - 1) * LIMITS.connectionTrySecondsPerFurtherMessage;
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  let limit = startLimit();
  const steps = new Map<StepName, Step>();
  const turns: HeardTurn[] = [];
  const toolCalls: ConnectionTry["toolCalls"] = [];
  const lifetime = new AbortController();
  let line = openLine;
  let isOver = !staysOpen;
  let current: StepName = "prepare";
  let stepFromMs = startedAtMs;
  let failure: LineFailure | undefined;

  function startLimit() {
    const started = createRunningLimit(limitSeconds * 1_000);
    started.signal.addEventListener("abort", () => over.abort(started.signal.reason), { once: true });
    return started;
  }

  /** The wait for a call of the agent has a limit of its own. */
  async function reach(waiting: NonNullable<AgentLine["reach"]>): Promise<void> {
    limit.clear();
    await waiting(signal, hear);
    limit = startLimit();
  }

  const note = (step: StepName, result: Step["result"], durationMs: number | null, why: string | null = null) =>
    void steps.set(step, { step, result, durationMs: durationMs && Math.max(0, Math.round(durationMs)), message: why });
  const begin = (step: StepName) => {
    current = step;
    stepFromMs = Date.now();
  };
  const hear = (turn: HeardTurn) => {
    turns.push(turn);
    return () => {};
  };
  const firstOf = (role: HeardTurn["role"], fromMs = 0, fromIndex = 0) =>
    turns.find((turn, index) => index >= fromIndex && turn.role === role && turn.startedMs >= fromMs);

  function write(answer: AgentTurn, askedMs: number): void {
    for (const { name, arguments: given, mocked, error, startedMs, endedMs } of answer.toolUses)
      toolCalls.push({
        name,
        arguments: excerpt(jsonOf(given), ARGUMENTS_CHARACTERS),
        mocked,
        error,
        durationMs: Math.max(0, Math.round(endedMs - startedMs)),
      });
    for (const text of answer.messages) turns.push({ role: "agent", text, startedMs: askedMs, endedMs: Date.now() });
  }

  async function converse(): Promise<void> {
    if (openLine === undefined && (await begins())) return;
    if (messages.length === 0) return note("answer", "skipped", null, "The caller ended the conversation.");
    begin("answer");
    for (const [index, message] of messages.entries()) {
      const { ended, transferred } = await exchange(message, index === 0);
      if (!ended && !transferred) continue;
      isOver = true;
      if (index === messages.length - 1) return;
      const which = `message ${index + 1} of ${messages.length}`;
      return note("answer", "done", null, `The agent ended the conversation after ${which}.`);
    }
  }

  /** Reaches the agent and hears its greeting. Returns whether the agent has ended the conversation. */
  async function begins(): Promise<boolean> {
    line = await createLine(lifetime.signal);
    note("prepare", "done", Date.now() - stepFromMs);
    begin("connect");
    if (line.reach) await reach(line.reach);
    const greeting = await line.open(within, hear);
    const openedMs = Date.now();
    if (greeting) write(greeting, stepFromMs);
    connected(openedMs);
    const greeted = firstOf("agent");
    if (greeted) note("greeting", "done", line.carriesSound ? greeted.startedMs - connectedAtMs()! : null);
    else note("greeting", "skipped", null, "The agent waits for the caller.");
    if (!greeting?.ended && !greeting?.transferred) return false;
    note("answer", "skipped", null, "The agent ended the conversation after its greeting.");
    return (isOver = true);
  }

  function connected(atMs: number): void {
    if (!steps.has("connect")) note("connect", "done", (connectedAtMs() ?? atMs) - stepFromMs);
  }

  /** The step `answer` has the time of the first answer. */
  async function exchange(message: string, isFirst: boolean): Promise<AgentTurn> {
    const askedMs = Date.now();
    const earlier = turns.length;
    const saidInWriting = { role: "caller", text: message, startedMs: askedMs, endedMs: askedMs } as const;
    if (!line!.carriesSound) turns.push(saidInWriting);
    const answer = await line!.say(message, within, hear);
    write(answer, askedMs);
    const said = turns.findLast(({ role }) => role === "caller");
    const answered = firstOf("agent", said?.startedMs, earlier);
    if (answered) {
      const answeredMs = line!.carriesSound ? answered.startedMs : answered.endedMs;
      if (isFirst) note("answer", "done", answeredMs - said!.endedMs);
    } else if (answer.ended || answer.transferred)
      note("answer", "done", null, "The agent ended the conversation without a word.");
    else {
      const remedy = line!.carriesSound
        ? ""
        : " Let it put its text where the connection's `format` expects it: docs/connections.md has an example of each.";
      throw new LineFailure("agent_error", `The agent answered without a word.${remedy}`);
    }
    return answer;
  }

  /**
   * Records the step in which the conversation failed: `connect` when the agent's side did not accept the conversation.
   */
  function noteFailure({ reason, message: why }: LineFailure): void {
    if (isNotReached(reason)) {
      if (!line) note("prepare", "done", null);
      steps.delete("greeting");
      current = "connect";
    } else if (current === "connect") {
      connected(Date.now());
      current = "greeting";
    }
    note(current, "failed", Date.now() - stepFromMs, why);
  }

  function hinted(error: LineFailure, isSilence = SILENT.has(error.reason)): LineFailure {
    if (silenceHint === undefined || !isSilence) return error;
    return new LineFailure(error.reason, `${error.message} ${silenceHint}`, error.isOurFault);
  }

  function isNotReached(reason: EndingReason): boolean {
    if (line?.carriesSound) return connectedAtMs() === null;
    // When the credential cannot be decrypted, there is no connection to the agent, and the step `prepare` has failed.
    return NOT_REACHED.has(reason) && (line !== undefined || reason !== "credential_rejected");
  }

  function noteTimeLimit(): void {
    if (turns.every(({ role }) => role === "caller")) {
      const why = `The agent did not answer within ${limitSeconds} s. Look at the agent's log.`;
      return noteFailure((failure = hinted(new LineFailure("time_limit", why), true)));
    }
    if (openLine === undefined) {
      connected(Date.now());
      if (!steps.has("greeting")) note("greeting", "done", null);
    }
    const why = `The try ended after ${limitSeconds} s, before the agent had finished.`;
    note("answer", "skipped", null, why);
  }

  const endLine = () => lifetime.abort(within.reason);
  within.addEventListener("abort", endLine, { once: true });
  try {
    await converse();
  } catch (error) {
    isOver = true;
    if (!signal.aborted && over.signal.aborted) noteTimeLimit();
    else if (error instanceof LineFailure && !signal.aborted) noteFailure((failure = hinted(error)));
    else throw error;
  } finally {
    limit.clear();
    within.removeEventListener("abort", endLine);
    begin("hang_up");
    if (isOver) await line?.close();
  }
  if (!isOver) note("hang_up", "skipped", null, "The conversation stays open.");
  else if (line) note("hang_up", "done", Date.now() - stepFromMs);
  const outcome = line?.outcome?.() ?? null;
  const summary = outcome?.summary ?? null;
  const tried: Held["tried"] = {
    result: failure ? "fails" : "works",
    message: failure ? failure.message : sentenceOf(steps),
    endingReason: failure?.reason ?? null,
    endedBy: failure ? ENDING_REASONS[failure.reason].by : null,
    steps: TRY_STEPS.map((step) => steps.get(step) ?? { step, result: "skipped", durationMs: null, message: null }),
    turns: turns.map(({ role, text, startedMs, endedMs }) => ({
      role,
      text: text === null ? null : excerpt(text, TURN_CHARACTERS),
      startMs: Math.max(0, Math.round(startedMs - startedAtMs)),
      endMs: Math.max(0, Math.round(endedMs - startedAtMs)),
    })),
    toolCalls,
    sound: summary && soundOf(summary),
    line: presentLine(outcome?.line),
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs: Date.now() - startedAtMs,
  };
  return { tried, openLine: isOver ? null : line! };
}

function sentenceOf(steps: ReadonlyMap<StepName, Step>): string {
  const answer = steps.get("answer")!;
  if (answer.result === "skipped") return `The connection works. ${answer.message}`;
  return answer.durationMs === null ? answer.message! : `The agent answered after ${answer.durationMs} ms.`;
}

function soundOf({ heard, frameGapMaxMs, isTimingReliable }: CallSummary): ConnectionTry["sound"] {
  if (heard?.agent.isUnclear) return null;
  const speechMs = heard?.agent.segments.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0) ?? 0;
  return {
    firstSoundMs:
      heard?.firstSoundMs === undefined || heard.firstSoundMs === null ? null : Math.round(heard.firstSoundMs),
    agentSpeechMs: Math.round(speechMs),
    agentSpeechDbfs: heard?.agent.speechDbfs ?? null,
    clippedSamples: heard?.agent.clippedSamples ?? 0,
    frameGapMaxMs,
    isTimingReliable,
  };
}
