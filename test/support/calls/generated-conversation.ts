import { CALL_RATE, sampleOf } from "../../../packages/server/src/voice/audio/audio.ts";
import { factorOf, speechLevelOf } from "../../../packages/server/src/voice/audio/level.ts";
import { mixed, noiseFactor, scaled } from "../../../packages/server/src/voice/audio/mix.ts";
import { decodeMulaw, encodeMulaw } from "../../../packages/server/src/voice/audio/mulaw.ts";
import { resample } from "../../../packages/server/src/voice/audio/resample.ts";
import {
  createSurroundings,
  SURROUNDINGS_DBFS,
  type SurroundingsKind,
} from "../../../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { seeded } from "../../../packages/server/src/base/seeded.ts";
import type { HeardCase } from "./heard-cases.ts";
import type { Stretch } from "./timeline.ts";

/** A generated conversation: the sound of both sides, and the facts that a listener must find in it. */
export type GeneratedConversation = HeardCase & { callerSound: Int16Array; agentSound: Int16Array };

/** The ranges from which conversations are generated. A pair is the lowest and the highest value. */
export type Variety = {
  speech: (seed: string, side: "caller" | "agent") => Int16Array;
  callerDbfs: readonly [number, number];
  agentDbfs: readonly [number, number];
  /** The kinds of noise on the agent's side; `agentSnrDb` is the distance of the noise below the speech. */
  agentNoise: readonly SurroundingsKind[];
  agentSnrDb: readonly [number, number];
  /** Whether the agent's sound passes through μ-law at 8 kHz. */
  isCoded: boolean;
  offset: number;
  /** The number of the caller's turns; without it, a random number from 2 to 5. */
  turns?: number;
};

const samplesIn = (ms: number): number => Math.round((ms * CALL_RATE) / 1_000);
const msOf = (samples: number): number => (samples * 1_000) / CALL_RATE;

/**
 * Removes the silence before and after the speech. A stretch of 2 ms is silent when it is more than 32 dB below the level of the
 * speech.
 */
function trimmed(speech: Int16Array): Int16Array {
  const width = samplesIn(2);
  const limit = factorOf(speechLevelOf(speech, CALL_RATE) - 32) * 32_768;
  const isAudible = (at: number) => {
    let sum = 0;
    for (let next = at; next < at + width; next++) sum += (speech[next] ?? 0) ** 2;
    return Math.sqrt(sum / width) > limit;
  };
  let [start, end] = [0, speech.length];
  while (start < end && !isAudible(start)) start += width / 2;
  while (end > start && !isAudible(end - width)) end -= width / 2;
  return speech.subarray(start, end);
}

/**
 * Generates a conversation: a greeting, answers in time, early or late, interruptions at which the agent stops or continues, and
 * turns without an answer.
 */
export function generatedConversation(seed: string, variety: Variety): GeneratedConversation {
  const random = seeded(`conversation ${seed}`);
  const between = ([low, high]: readonly [number, number]) => low + random() * (high - low);
  const isLikely = (share: number) => random() < share;
  const callerSounds: Placed[] = [];
  const agentSounds: Placed[] = [];
  const answers: HeardCase["heard"]["answers"] = [];
  const interruptions: HeardCase["heard"]["interruptions"] = [];
  let count = 0;
  const speech = (side: "caller" | "agent") => {
    const sound = variety.speech(`${seed} ${count++}`, side);
    const heard = trimmed(variety.isCoded ? narrowed(sound) : sound);
    return scaled(heard, factorOf(levels[side] - speechLevelOf(heard, CALL_RATE)));
  };
  const levels = { caller: between(variety.callerDbfs), agent: between(variety.agentDbfs) };
  const say = (side: Placed[], startMs: number, sound: Int16Array): Placed => {
    const placed = { startMs: Math.round(startMs), endMs: Math.round(startMs) + msOf(sound.length), sound };
    side.push(placed);
    return placed;
  };

  let now = between([300, 3_000]);
  if (isLikely(0.7)) now = say(agentSounds, now, speech("agent")).endMs + between([300, 1_500]);
  const turns = variety.turns ?? 2 + Math.floor(random() * 4);
  for (let turn = 0; turn < turns; turn++) {
    const asked = say(callerSounds, now, speech("caller"));
    if (isLikely(0.15)) {
      now = asked.endMs + between([3_000, 5_000]);
      continue;
    }
    const isEarly = isLikely(0.15);
    const latency = isEarly ? -between([100, 400]) : isLikely(0.2) ? between([2_100, 3_500]) : between([250, 1_900]);
    const reply = say(agentSounds, asked.endMs + latency, speech("agent"));
    answers.push({ callerEndMs: asked.endMs, agentStartMs: reply.startMs, responseMs: reply.startMs - asked.endMs });
    now = reply.endMs + between([300, 1_500]);
    const length = reply.endMs - reply.startMs;
    if (isEarly || length < 1_500 || !isLikely(0.5)) continue;
    // The interruption starts during the agent's answer. The agent then stops, or speaks to the end of the answer.
    const atMs = Math.round(reply.startMs + between([500, length - 700]));
    const over = say(callerSounds, atMs, speech("caller"));
    if (isLikely(0.7)) {
      reply.sound = trimmed(reply.sound.subarray(0, samplesIn(atMs - reply.startMs + between([150, 650]))));
      reply.endMs = reply.startMs + msOf(reply.sound.length);
    }
    const keptSpeakingMs = reply.endMs - atMs;
    interruptions.push({ atMs, yieldMs: reply.endMs <= over.endMs + 1_500 ? keptSpeakingMs : null, keptSpeakingMs });
    if (reply.endMs <= over.endMs) {
      const resumed = say(agentSounds, over.endMs + between([400, 1_900]), speech("agent"));
      answers.push({
        callerEndMs: over.endMs,
        agentStartMs: resumed.startMs,
        responseMs: resumed.startMs - over.endMs,
      });
      now = resumed.endMs + between([300, 1_500]);
    } else now = reply.endMs + between([1_200, 1_500]);
  }
  const totalMs = Math.ceil((now + between([400, 1_500])) / 10) * 10;
  const [caller, agent] = [stretchesOf(callerSounds), stretchesOf(agentSounds)];
  return {
    name: seed,
    totalMs,
    caller,
    agent,
    heard: {
      firstSoundMs: agent[0]?.[0] ?? null,
      answers,
      interruptions,
      overlapMs: overlapOf(caller, agent),
      deadAir: longGapsOf(caller, agent, totalMs),
    },
    callerSound: sideOf(callerSounds, totalMs),
    agentSound: withEffects(sideOf(agentSounds, totalMs), levels.agent, seed, variety, between),
  };
}

/** Returns the speech without the frequencies that a telephone line does not carry. */
const narrowed = (speech: Int16Array): Int16Array =>
  resample(resample({ samples: speech, rate: CALL_RATE }, 8_000), CALL_RATE).samples;

type Placed = { startMs: number; endMs: number; sound: Int16Array };

const stretchesOf = (side: readonly Placed[]): Stretch[] => side.map(({ startMs, endMs }) => [startMs, endMs] as const);

function sideOf(sounds: readonly Placed[], totalMs: number): Int16Array {
  const side = new Int16Array(samplesIn(totalMs));
  for (const { startMs, sound } of sounds) side.set(sound, samplesIn(startMs));
  return side;
}

function withEffects(
  side: Int16Array,
  dbfs: number,
  seed: string,
  { agentNoise, agentSnrDb, isCoded, offset }: Variety,
  between: (range: readonly [number, number]) => number,
): Int16Array {
  let sound = side;
  if (agentNoise.length > 0) {
    const kind = agentNoise[Math.min(agentNoise.length - 1, Math.floor(between([0, agentNoise.length])))]!;
    const noise = createSurroundings(kind, seed)(side.length);
    sound = mixed(sound, scaled(noise, noiseFactor(dbfs, SURROUNDINGS_DBFS, between(agentSnrDb))));
  }
  if (offset !== 0) sound = sound.map((sample) => sampleOf(sample + offset));
  if (!isCoded) return sound;
  const narrow = resample({ samples: sound, rate: CALL_RATE }, 8_000).samples;
  return resample({ samples: decodeMulaw(encodeMulaw(narrow)), rate: 8_000 }, CALL_RATE).samples;
}

function overlapOf(caller: readonly Stretch[], agent: readonly Stretch[]): number {
  const parts = caller.flatMap(([start, end]) =>
    agent.map(([from, to]) => Math.max(0, Math.min(end, to) - Math.max(start, from))),
  );
  return parts.reduce((sum, part) => sum + part, 0);
}

function longGapsOf(caller: readonly Stretch[], agent: readonly Stretch[], totalMs: number) {
  const isSpeech = new Uint8Array(totalMs);
  for (const [start, end] of [...caller, ...agent]) isSpeech.fill(1, Math.round(start), Math.round(end));
  const isAgentLast = (agent.at(-1)?.[1] ?? 0) > (caller.at(-1)?.[1] ?? 0);
  const lastMs = isAgentLast ? Math.round(agent.at(-1)![1]) : totalMs;
  const gaps: { startMs: number; endMs: number }[] = [];
  let quietFrom: number | null = null;
  for (let ms = 0; ms <= lastMs; ms++) {
    const isQuiet = ms < lastMs && isSpeech[ms] === 0;
    if (isQuiet) quietFrom ??= ms;
    else if (quietFrom !== null) {
      if (ms - quietFrom >= 2_000) gaps.push({ startMs: quietFrom, endMs: ms });
      quietFrom = null;
    }
  }
  return gaps;
}
