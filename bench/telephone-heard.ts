import type { CallEnd, HeardCall, SpeechSegment } from "../packages/server/src/voice/calls/call.ts";
import { FRAME_SAMPLES } from "../packages/server/src/voice/audio/audio.ts";
import { createCallHearing } from "../packages/server/src/voice/calls/heard/call-hearing.ts";
import { turnTakingOf } from "../packages/server/src/voice/calls/heard/turn-taking.ts";
import { framesOf } from "../test/support/audio/tones.ts";
import type { GeneratedConversation } from "../test/support/calls/generated-conversation.ts";
import type { Stretch } from "../test/support/calls/timeline.ts";

/** An answer counts as found if its heard start is at most this far from its true start. */
const NEAR_MS = 500;

type Starts = { callerMs: number; agentMs: number };

/** What calls over one kind of line show of conversations whose facts are known. */
type HeardScore = {
  name: string;
  /** Takes the times of the call at which the two sides of the conversation begin, in milliseconds. */
  add: (conversation: GeneratedConversation, from: Starts, end: CallEnd) => void;
  /** Hears the sound of both sides without any line. */
  addWavs: (conversation: GeneratedConversation) => Promise<void>;
  cells: () => (string | number)[];
};

export function createHeardScore(name: string): HeardScore {
  let [answers, found, invented, unheard, untold] = [0, 0, 0, 0, 0];
  let [packets, lost, gapMs] = [0, 0, 0];
  const errors = { starts: [] as number[], responses: [] as number[], lengths: [] as number[], yields: [] as number[] };

  function score(conversation: GeneratedConversation, { callerMs, agentMs }: Starts, heard?: HeardCall | null): void {
    const from = (startMs: number) => (stretch: Stretch) => ({
      startMs: stretch[0] + startMs,
      endMs: stretch[1] + startMs,
    });
    const caller = conversation.caller.map(from(callerMs));
    const agent = conversation.agent.map(from(agentMs));
    const real = turnTakingOf(caller, agent, conversation.totalMs + callerMs);
    answers += real.answers.length;
    if (!heard || heard.agent.isUnclear || heard.caller.isUnclear) return void (untold += real.answers.length);
    const left = [...heard.answers];
    for (const { agentStartMs, responseMs } of real.answers) {
      const near = nearest(left, (answer) => answer.agentStartMs - agentStartMs);
      if (!near) continue;
      found++;
      errors.starts.push(near.agentStartMs - agentStartMs);
      errors.responses.push(near.responseMs - responseMs);
      left.splice(left.indexOf(near), 1);
    }
    invented += left.length;
    for (const speech of agent) {
      const over = heard.agent.segments.filter((each) => overlaps(each, speech));
      if (over.length === 0) unheard++;
      else errors.lengths.push(over.at(-1)!.endMs - over[0]!.startMs - (speech.endMs - speech.startMs));
    }
    for (const { atMs, yieldMs } of real.interruptions) {
      const near = nearest(heard.interruptions, (each) => each.atMs - atMs);
      if (near && near.yieldMs !== null && yieldMs !== null) errors.yields.push(near.yieldMs - yieldMs);
    }
  }

  return {
    name,
    add(conversation, from, { summary, line }) {
      packets += line?.received?.packets ?? 0;
      lost += line?.received?.lost ?? 0;
      gapMs = Math.max(gapMs, summary?.frameGapMaxMs ?? 0);
      score(conversation, from, summary?.heard);
    },
    async addWavs(conversation) {
      const hearing = createCallHearing();
      const agent = framesOf(conversation.agentSound, FRAME_SAMPLES);
      for (const [at, clean] of framesOf(conversation.callerSound, FRAME_SAMPLES).entries())
        hearing.push({ clean, sent: clean, agent: agent[at]! });
      score(conversation, { callerMs: 0, agentMs: 0 }, await hearing.finish());
    },
    cells: () => [
      name,
      answers,
      answers - found - untold,
      invented,
      unheard,
      untold,
      packets === 0 ? "–" : `${((100 * lost) / (packets + lost)).toFixed(1)} %`,
      gapMs,
      ...Object.values(errors).map(medianAndWorst),
    ],
  };
}

const nearest = <Each>(all: readonly Each[], distance: (each: Each) => number): Each | undefined =>
  all
    .filter((each) => Math.abs(distance(each)) <= NEAR_MS)
    .toSorted((one, other) => Math.abs(distance(one)) - Math.abs(distance(other)))[0];

const overlaps = (one: SpeechSegment, other: SpeechSegment) => one.startMs < other.endMs && one.endMs > other.startMs;

function medianAndWorst(values: readonly number[]): string {
  if (values.length === 0) return "–";
  const median = values.toSorted((one, other) => one - other)[values.length >> 1]!;
  const worst = values.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0]!;
  return `${median.toFixed(0)} / ${worst.toFixed(0)} (${values.length})`;
}

const TITLES = [
  "line",
  "answers",
  "missed",
  "invented",
  "unheard",
  "untold",
  "lost",
  "gap ms",
  "start",
  "response",
  "length",
  "yield",
];

/** Prints a row for each line. Errors are in milliseconds: the median, the worst, and their number. */
export function printScores(scores: readonly HeardScore[]): void {
  for (const cells of [TITLES, ...scores.map((score) => score.cells())])
    console.log(cells.map((cell, at) => String(cell).padEnd(at === 0 ? 22 : at > 7 ? 18 : 10)).join(""));
}
