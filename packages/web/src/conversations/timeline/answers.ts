import type { Measure, ModelCall, SpeechCall, SpeechPeriod, Trace } from "@svc/contract";
import type { Clock, Interval } from "./axis.ts";

export type AnswerPart = {
  kind: "wait" | "rest" | "model" | "speech";
  ms: number;
  /** Model calls and tool calls that are known to lie within the part. */
  pieces: { label: string; ms: number }[];
};

export type Answer = {
  ms: number;
  provenance: Measure["provenance"];
  /** Index of the turn that is answered; null if unknown. */
  question: number | null;
  /** Time at which the caller's last word ended, in milliseconds since the start of the conversation. */
  zeroMs: number;
  /** Time at which the answer's first audio was heard. For a typed answer: the time at which its whole text existed. */
  heardMs: number;
  parts: AnswerPart[];
};

type Sample = Measure["samples"][number];

export const samplesOf = ({ measures }: Pick<Trace, "measures">, name: Measure["name"]): readonly Sample[] =>
  measures.find((measure) => measure.name === name)?.samples ?? [];

/** If a turn has several samples, the last one counts. */
export function samplesByTurn(trace: Pick<Trace, "measures">, name: Measure["name"]): Map<number, Sample> {
  const samples = samplesOf(trace, name);
  return new Map(samples.flatMap((sample) => (sample.turnIndex === null ? [] : [[sample.turnIndex, sample] as const])));
}

export function spokenAnswerTimes(trace: Pick<Trace, "measures">): Map<number, Sample> {
  const reported = samplesByTurn(trace, "response_latency");
  return reported.size > 0 ? reported : samplesByTurn(trace, "heard_response_latency");
}

/** The keys are the indexes of the agent's turns. */
export function answersOf(trace: Trace, clock: Clock): Map<number, Answer> {
  const spoken = spokenAnswerTimes(trace);
  const isTyped = spoken.size === 0;
  const times = isTyped ? samplesByTurn(trace, "text_response_time") : spoken;
  const waits = samplesByTurn(trace, "end_of_utterance_delay");
  const rests = samplesByTurn(trace, "unexplained_latency");
  const speech = Map.groupBy(trace.speech, ({ turnIndex }) => turnIndex);
  const modelCalls = Map.groupBy(trace.modelCalls, ({ turnIndex }) => turnIndex);
  const speechCalls = Map.groupBy(trace.speechCalls, ({ turnIndex }) => turnIndex);
  const toolCalls = Map.groupBy(trace.toolCalls, ({ turnIndex }) => turnIndex);
  const answers = new Map<number, Answer>();
  let question: number | null = null;
  for (const { index, role, startedAt } of trace.turns) {
    if (role === "user") question = index;
    const sample = times.get(index);
    if (role !== "agent" || sample === undefined) continue;
    const { zeroMs, heardMs } = limitsOf(sample, question, index);
    const wait = question === null ? undefined : waits.get(question)?.value;
    const rest = rests.get(index)?.value;
    const parts = isTyped
      ? []
      : partsOf({
          ms: sample.value,
          wait,
          rest,
          zeroMs,
          clock,
          models: modelCalls.get(index) ?? [],
          synthesis: (speechCalls.get(index) ?? []).find(
            ({ kind, timeToFirstByteMs }) => kind === "tts" && timeToFirstByteMs !== null,
          ),
          tools: toolCalls.get(index) ?? [],
        });
    answers.set(index, { ms: sample.value, provenance: sample.provenance, question, zeroMs, heardMs, parts });

    function limitsOf({ value: ms, provenance, at }: Sample, asked: number | null, reply: number) {
      // A sample of a heard answer has the time of the answer's first sound. The turn may have begun earlier, with a greeting.
      if (provenance === "heard") return { zeroMs: clock.ms(at) - ms, heardMs: clock.ms(at) };
      const first = speech.get(reply)?.[0];
      if (first !== undefined) return { zeroMs: clock.ms(first.startedAt) - ms, heardMs: clock.ms(first.startedAt) };
      const last = asked === null ? undefined : lastEnd(speech.get(asked) ?? [], clock);
      const start = last ?? clock.ms(isTyped && asked !== null ? trace.turns[asked]!.startedAt : startedAt);
      return { zeroMs: start, heardMs: start + ms };
    }
  }
  return answers;
}

const lastEnd = (periods: readonly SpeechPeriod[], clock: Clock): number | undefined =>
  periods.reduce<number | undefined>((last, { endedAt }) => Math.max(last ?? -Infinity, clock.ms(endedAt)), undefined);

type PartsInput = {
  ms: number;
  wait: number | undefined;
  rest: number | undefined;
  zeroMs: number;
  clock: Clock;
  models: readonly ModelCall[];
  synthesis: SpeechCall | undefined;
  tools: Trace["toolCalls"];
};

/**
 * The parts are in this order: the wait for the end of the turn, the rest, the time to the first token, the time to the first byte.
 * The rest is all time that belongs to no known part. It is left out if the known parts overlap so much that no time remains.
 */
function partsOf({ ms, wait, rest, clock, models, synthesis, tools }: PartsInput): AnswerPart[] {
  const model =
    synthesis === undefined
      ? undefined
      : models.findLast((call) => call.timeToFirstTokenMs !== null && call.startedAt <= synthesis.startedAt);
  const [token, byte] = [model?.timeToFirstTokenMs ?? undefined, synthesis?.timeToFirstByteMs ?? undefined];
  const named = (wait ?? 0) + (token ?? 0) + (byte ?? 0);
  const left = rest ?? ms - named;
  const parts: AnswerPart[] = [];
  if (wait !== undefined) parts.push({ kind: "wait", ms: wait, pieces: [] });
  if (left > 0) parts.push({ kind: "rest", ms: left, pieces: piecesOf(left) });
  if (token !== undefined) parts.push({ kind: "model", ms: token, pieces: [] });
  if (byte !== undefined) parts.push({ kind: "speech", ms: byte, pieces: [] });
  return parts;

  /** Returns the earlier model calls and the tool calls of the turn, each only if it is not longer than the rest. */
  function piecesOf(most: number): AnswerPart["pieces"] {
    if (model === undefined) return [];
    const until = clock.ms(model.startedAt);
    const earlier = models
      .filter((call) => call !== model && clock.ms(call.startedAt) < until)
      .map((call) => ({ label: "earlier model call", ms: call.durationMs }));
    const used = tools
      .filter((call) => clock.ms(call.startedAt) <= until)
      .map((call) => ({ label: call.name ?? "tool call", ms: call.durationMs }));
    return [...earlier, ...used].filter(
      (piece): piece is { label: string; ms: number } => piece.ms !== null && piece.ms <= most,
    );
  }
}

export function waitInterval(answer: Answer): Interval | null {
  const wait = answer.parts.find(({ kind }) => kind === "wait");
  return wait === undefined ? null : { fromMs: answer.zeroMs, untilMs: answer.zeroMs + wait.ms };
}

/**
 * Returns the turn that a timeline selects at first: the slowest answer, else the first turn with a failed tool call, else the first turn.
 */
export function defaultTurn(trace: Trace): number | undefined {
  const answers = [...spokenAnswerTimes(trace), ...samplesByTurn(trace, "text_response_time")];
  const slowest = answers.toSorted(([, a], [, b]) => b.value - a.value)[0]?.[0];
  const failed = trace.toolCalls.find(({ isError, turnIndex }) => isError === true && turnIndex !== null)?.turnIndex;
  return slowest ?? failed ?? trace.turns[0]?.index;
}
