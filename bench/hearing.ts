/**
 * Measures how well the service hears calls: `npm run bench -- hearing [SEED] [CONVERSATIONS]`. Generates conversations with known
 * times, adds sounds to the agent's side, and prints which answers are found, missed and invented, during the call and after it.
 * The voices are the built-in ones, and those of espeak-ng if it is installed.
 */
import { spawnSync } from "node:child_process";
import { Command } from "commander";
import { CALL_RATE, FRAME_SAMPLES, joined } from "../packages/server/src/voice/audio/audio.ts";
import { speechLevelOf } from "../packages/server/src/voice/audio/level.ts";
import { mixed, noiseFactor, scaled } from "../packages/server/src/voice/audio/mix.ts";
import { decodeMulaw, encodeMulaw } from "../packages/server/src/voice/audio/mulaw.ts";
import { resample } from "../packages/server/src/voice/audio/resample.ts";
import { createSurroundings, SURROUNDINGS_DBFS } from "../packages/server/src/voice/audio/surroundings/surroundings.ts";
import { readWav } from "../packages/server/src/voice/audio/wav.ts";
import type { SpeechSegment } from "../packages/server/src/voice/calls/call.ts";
import { createCallHearing } from "../packages/server/src/voice/calls/heard/call-hearing.ts";
import { turnTakingOf } from "../packages/server/src/voice/calls/heard/turn-taking.ts";
import { createTurnTaker } from "../packages/server/src/voice/calls/media/turn-taking.ts";
import { seeded } from "../packages/server/src/base/seeded.ts";
import * as sounds from "../test/support/calls/agent-side.ts";
import { type GeneratedConversation, generatedConversation } from "../test/support/calls/generated-conversation.ts";
import { spokenSentences } from "../test/support/calls/spoken-sentences.ts";
import { framesOf } from "../test/support/audio/tones.ts";

const command = new Command("hearing")
  .description("Measures how well calls are heard.")
  .argument("[seed]", "seed of everything random", "hearing-1")
  .argument("[conversations]", "conversations per row, of about 70 s", Number, 4)
  .option("--only <text>", "only the rows whose names contain this text", "")
  .option("--built-in", "speak with the built-in voices only")
  .parse();
const [SEED, COUNT] = command.processedArgs as [string, number];
const { only, builtIn } = command.opts<{ only: string; builtIn?: true }>();

/** An answer counts as found if its heard start is at most this far from its true start. */
const NEAR_MS = 500;

type Speak = (seed: string) => Int16Array;
type World = { conversation: GeneratedConversation; length: number; starts: number[]; babble: Speak; seed: string };
type Row = { name: string; agent: (world: World) => Int16Array; isMute?: true; sent?: (world: World) => Int16Array };

const SENTENCES: Record<string, readonly string[]> = {
  de: [
    "Guten Tag und willkommen bei uns",
    "Das Zimmer kostet neunzig Euro",
    "Wann möchten Sie anreisen",
    "Ja gern",
    "Ich schaue für Sie nach welche Termine noch frei sind",
  ],
  es: [
    "Hola quiero cambiar mi reserva",
    "Para dos personas por favor",
    "Espere un momento",
    "Cuánto cuesta la habitación con vistas al mar",
    "Muchas gracias",
  ],
  fr: [
    "Bonjour que puis-je faire pour vous",
    "La chambre donne sur le jardin et coûte cent euros",
    "Très bien",
    "Pouvez-vous me donner votre nom",
    "Un instant je vérifie",
  ],
  en: [
    "Which day would you like",
    "Okay",
    "We have one table left at half past eight near the window",
    "Hmm let me think about that",
    "Can you say your number again slowly",
  ],
};

function espeak(voice: string): Speak | null {
  if (builtIn) return null;
  const lines = SENTENCES[voice.slice(0, 2)]!.map((text) => {
    const { status, stdout } = spawnSync("espeak-ng", ["-v", voice, "--stdout", text], { maxBuffer: 1e8 });
    if (status !== 0) return null;
    // espeak-ng does not know the length of the sound when it writes the header.
    const wav = Buffer.from(stdout);
    wav.writeUInt32LE(wav.length - 44, 40);
    const { channels, rate } = readWav(wav);
    return joined([resample({ samples: channels[0]!, rate }, CALL_RATE).samples]);
  });
  return lines.includes(null) ? null : (seed) => lines[Math.floor(seeded(`line ${seed}`)() * lines.length)]!;
}

const [kal, rms, slt, awb] = await Promise.all(
  (["kal", "rms", "slt", "awb"] as const).map((v) => spokenSentences([v])),
);
const espeakOr = (voice: string, other: Speak): Speak => espeak(voice) ?? other;
/** The voices of agent and caller in each conversation. */
const CASTS: { agent: Speak; caller: Speak }[] = [
  { agent: espeakOr("de+f1", slt!), caller: kal! },
  { agent: rms!, caller: espeakOr("es", awb!) },
  { agent: espeakOr("fr+f3", awb!), caller: slt! },
  { agent: slt!, caller: espeakOr("en-us+m5", rms!) },
];
const crowdOf = [espeakOr("fr", kal!), espeakOr("es+f2", rms!), espeakOr("de", slt!), awb!, espeakOr("en-gb+m2", kal!)];

function worldOf(at: number): World {
  const cast = CASTS[at % CASTS.length]!;
  const conversation = generatedConversation(`${SEED} ${at}`, {
    speech: (seed, side) => cast[side](seed),
    callerDbfs: [-22, -18],
    agentDbfs: [-20, -20],
    agentNoise: [],
    agentSnrDb: [0, 0],
    isCoded: false,
    offset: 0,
    turns: 9,
  });
  return {
    conversation,
    length: conversation.agentSound.length,
    starts: conversation.agent.map(([startMs]) => startMs),
    babble: (seed) => crowdOf[Math.floor(seeded(`of ${seed}`)() * crowdOf.length)]!(seed),
    seed: `${SEED} ${at}`,
  };
}

const agentOf = ({ conversation }: World) => conversation.agentSound;
const delays = [90, 170, 240, 130];
const echo = (world: World, db: number, options = {}) =>
  sounds.echoOf(sentOf(world), db, { delayMs: delays[world.seed.charCodeAt(world.seed.length - 1) % 4]!, ...options });
const sentBy = new WeakMap<World, Int16Array>();
const sentOf = (world: World) => sentBy.get(world) ?? world.conversation.callerSound;
const talk = (world: World, dbfs: number) => sounds.babble(world.length, dbfs, world.seed, world.babble);
const pink = (world: World, dbfs: number) => sounds.pinkNoise(world.length, dbfs, world.seed);
const plus = (name: string, ...others: ((world: World) => Int16Array)[]): Row => ({
  name,
  agent: (world) => sounds.together(agentOf(world), ...others.map((other) => other(world))),
});
const mute = (name: string, first: (world: World) => Int16Array, ...others: ((world: World) => Int16Array)[]): Row => ({
  name: `mute, ${name}`,
  isMute: true,
  agent: (world) => sounds.together(first(world), ...others.map((other) => other(world))),
});
const oneAnswer = (world: World) => {
  const [from, to] = world.conversation.agent[1]!.map((ms) => Math.round((ms * CALL_RATE) / 1_000)) as [number, number];
  const side = new Int16Array(world.length);
  side.set(agentOf(world).subarray(from, to), from);
  return side;
};
const surrounded = ({ conversation, length, seed }: World) => {
  const factor = noiseFactor(speechLevelOf(conversation.callerSound, CALL_RATE), SURROUNDINGS_DBFS, 10);
  return mixed(conversation.callerSound, scaled(createSurroundings("cafe", seed)(length), factor));
};

const ROWS: Row[] = [
  { name: "clean", agent: agentOf },
  ...[20, 10, 0].flatMap((snr) => [
    plus(`white ${snr}`, ({ length, seed }) => sounds.whiteNoise(length, -20 - snr, seed)),
    plus(`pink ${snr}`, (world) => pink(world, -20 - snr)),
  ]),
  ...[20, 15, 10, 5].map((snr) => plus(`babble ${snr}`, (world) => talk(world, -20 - snr))),
  plus("one talker 15", ({ length, seed, babble }) => sounds.babble(length, -35, seed, babble, 1)),
  plus("chords 10", ({ length }) => sounds.chords(length, -30)),
  plus("tune 15", ({ length, seed }) => sounds.tune(length, -35, seed)),
  plus("hum 10", ({ length }) => sounds.hum(length, -30)),
  plus("breath", ({ length, starts, seed }) =>
    sounds.before(starts, 60, length, (at) => sounds.breath(330, -42, `${seed} ${at}`)),
  ),
  plus("beep", ({ length, starts }) => sounds.before(starts, 450, length, () => sounds.beep([697, 1_209], 160, -20))),
  plus("ring", ({ length, starts }) => sounds.before(starts, 120, length, () => sounds.beep([440, 480], 400, -22))),
  plus("echo -40", (world) => echo(world, -40)),
  plus("echo -30", (world) => echo(world, -30)),
  plus("echo -20", (world) => echo(world, -20)),
  plus("echo -20, jump", (world) => echo(world, -20, { jumpMs: 70 })),
  plus("echo -20, clipped", (world) => echo(world, -20, { isClipped: true })),
  plus(
    "echo -20 + pink 20",
    (world) => echo(world, -20),
    (world) => pink(world, -40),
  ),
  plus(
    "echo -20 + babble 10",
    (world) => echo(world, -20),
    (world) => talk(world, -30),
  ),
  { ...plus("echo -20 of a caller in a cafe", (world) => echo(world, -20)), sent: surrounded },
  {
    name: "one answer, pink 20",
    agent: (world) => sounds.together(oneAnswer(world), pink(world, -40)),
  },
  mute("pink -40 dBFS", (world) => pink(world, -40)),
  mute("babble -37 dBFS", (world) => talk(world, -37)),
  mute("chords -30 dBFS", ({ length }) => sounds.chords(length, -30)),
  mute("tune -30 dBFS", ({ length, seed }) => sounds.tune(length, -30, seed)),
  mute("echo -30", (world) => echo(world, -30)),
  mute(
    "echo -20 + pink -50 dBFS",
    (world) => echo(world, -20),
    (world) => pink(world, -50),
  ),
  { ...mute("echo -20 of a caller in a cafe", (world) => echo(world, -20)), sent: surrounded },
];

const overMulaw = (sound: Int16Array): Int16Array => {
  const narrow = resample({ samples: sound, rate: CALL_RATE }, 8_000).samples;
  return resample({ samples: decodeMulaw(encodeMulaw(narrow)), rate: 8_000 }, CALL_RATE).samples;
};

/** The speech of both sides as the service heard it. The agent's speech is null when the call was too noisy. */
type Heard = { segments: SpeechSegment[] | null; callerSegments: readonly SpeechSegment[]; cpuMs: number };

const frames = (sound: Int16Array) => framesOf(sound, FRAME_SAMPLES);
const cpuMsSince = (start: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

async function hear(
  { conversation }: World,
  sent: Int16Array,
  agent: Int16Array,
): Promise<{ after: Heard; live: Heard }> {
  const [cleanFrames, sentFrames, agentFrames] = [conversation.callerSound, sent, agent].map(frames);
  const hearing = createCallHearing();
  const turns = createTurnTaker({ endOfTurnMs: 350, patienceMs: 1e9, interruptAfterMs: [null] }, false);
  const segments: SpeechSegment[] = [];
  const start = process.cpuUsage();
  for (const [at, frame] of agentFrames!.entries()) {
    hearing.push({ clean: cleanFrames![at]!, sent: sentFrames![at]!, agent: frame });
    for (const event of turns.next(frame, false, hearing.isEcho)) {
      if (event.kind === "agent_started") segments.push({ startMs: event.atMs, endMs: conversation.totalMs });
      else if (event.kind === "agent_stopped") segments.at(-1)!.endMs = event.atMs;
    }
  }
  const call = await hearing.finish();
  const cpuMs = cpuMsSince(start);
  const callerSegments = conversation.caller.map(([startMs, endMs]) => ({ startMs, endMs }));
  return {
    after: { segments: call.agent.isUnclear ? null : call.agent.segments, callerSegments: call.caller.segments, cpuMs },
    live: { segments, callerSegments, cpuMs },
  };
}

type Score = {
  answers: number;
  found: number;
  untold: number;
  invented: number;
  startErrors: number[];
  endErrors: number[];
  lostCuts: number;
  inventedCuts: number;
  falseSeconds: number;
  cpuMs: number;
  minutes: number;
};
const emptyScore = (): Score => ({
  answers: 0,
  found: 0,
  untold: 0,
  invented: 0,
  startErrors: [],
  endErrors: [],
  lostCuts: 0,
  inventedCuts: 0,
  falseSeconds: 0,
  cpuMs: 0,
  minutes: 0,
});

function score(sum: Score, heard: Heard, row: Row, { caller, agent, totalMs, heard: facts }: GeneratedConversation) {
  const truth = row.isMute ? [] : row.name.startsWith("one answer") ? [agent[1]!] : [...agent];
  const spoken = truth.map(([startMs, endMs]) => ({ startMs, endMs }));
  const real = turnTakingOf(
    caller.map(([startMs, endMs]) => ({ startMs, endMs })),
    spoken,
    totalMs,
  );
  const answers = row.isMute || row.name.startsWith("one answer") ? real.answers : facts.answers;
  sum.cpuMs += heard.cpuMs;
  sum.minutes += totalMs / 60_000;
  sum.answers += answers.length;
  if (heard.segments === null) {
    sum.untold += answers.length;
    return;
  }
  const said = turnTakingOf(heard.callerSegments, heard.segments, totalMs);
  const left = [...said.answers];
  for (const { agentStartMs } of answers) {
    const distance = (at: number) => Math.abs(left[at]!.agentStartMs - agentStartMs);
    const nearest = [...left.keys()].toSorted((a, b) => distance(a) - distance(b))[0];
    if (nearest === undefined || distance(nearest) > NEAR_MS) continue;
    sum.found++;
    sum.startErrors.push(left[nearest]!.agentStartMs - agentStartMs);
    left.splice(nearest, 1);
  }
  sum.invented += left.length;
  const cuts = [...said.interruptions];
  for (const { atMs } of real.interruptions) {
    const at = cuts.findIndex((cut) => Math.abs(cut.atMs - atMs) < 300);
    if (at < 0) sum.lostCuts++;
    else cuts.splice(at, 1);
  }
  sum.inventedCuts += cuts.length;
  for (const { startMs, endMs } of spoken) {
    const over = heard.segments.findLast((segment) => segment.startMs < endMs && segment.endMs > startMs);
    if (over !== undefined) sum.endErrors.push(over.endMs - endMs);
  }
  for (const { startMs, endMs } of heard.segments) {
    for (let ms = startMs; ms < endMs; ms += 5) {
      if (!spoken.some((each) => ms >= each.startMs - 100 && ms < each.endMs + 100)) sum.falseSeconds += 0.005;
    }
  }
}

const rank = (values: readonly number[], share: number): number | null =>
  values.length === 0
    ? null
    : Math.round(values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!);
const errors = (values: readonly number[]) => `${rank(values, 0.5) ?? "–"}/${rank(values.map(Math.abs), 0.95) ?? "–"}`;

const columns = ["agent's side", "answers", "lost", "invented", "untold", "start", "end", "cuts", "false s"];
const cells = (name: string, sum: Score) => [
  name,
  sum.answers,
  sum.answers - sum.found - sum.untold,
  sum.invented,
  sum.untold,
  errors(sum.startErrors),
  errors(sum.endErrors),
  `-${sum.lostCuts}+${sum.inventedCuts}`,
  sum.falseSeconds.toFixed(1),
];
const line = (values: readonly unknown[]) =>
  values.map((value, at) => String(value).padEnd(at === 0 ? 32 : 10)).join("");

const worlds = Array.from({ length: COUNT }, (_, at) => worldOf(at));
const rows = ROWS.filter(({ name }) => name.includes(only));
for (const codec of ["pcm_16k", "mulaw_8k"] as const) {
  const scores = { after: rows.map(emptyScore), live: rows.map(emptyScore) };
  for (const [at, row] of rows.entries()) {
    for (const world of worlds) {
      const sent = row.sent?.(world) ?? world.conversation.callerSound;
      sentBy.set(world, sent);
      const side = row.agent(world);
      const heard = await hear(world, sent, codec === "mulaw_8k" ? overMulaw(side) : side);
      for (const way of ["after", "live"] as const) score(scores[way][at]!, heard[way], row, world.conversation);
    }
  }
  for (const way of ["after", "live"] as const) {
    console.log(`\n${way === "after" ? "after the call" : "live"}, ${codec}\n${line(columns)}`);
    for (const [at, row] of rows.entries()) console.log(line(cells(row.name, scores[way][at]!)));
    const total = (field: "answers" | "found" | "untold" | "invented" | "cpuMs" | "minutes" | "falseSeconds") =>
      scores[way].reduce((all, sum) => all + sum[field], 0);
    console.log(
      `all: ${total("found")} of ${total("answers")} found, ${total("invented")} invented, ${total("untold")} untold, ` +
        `${total("falseSeconds").toFixed(0)} s false, ${(total("cpuMs") / total("minutes")).toFixed(0)} ms of processor time a minute`,
    );
  }
}
