import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { seed as givenSeed } from "../../property-seed.ts";
import { addressesOf, ATTACK_PORTS, kindOf, PUBLIC } from "./addresses.ts";
import { ATTACKS, CONTROL, ROOM_CONTROL } from "./attacks.ts";
import type { Attack } from "./stage.ts";
import type { Health, Part, PlayOutcome } from "./gateway.ts";
import { openGateway, type Packets } from "./namespaces.ts";
import { MEDIA_PORTS } from "./real-rooms.ts";
import { type Ask, type Closing, openWorld, type PlacedPackets, startGateway, type World, WORLDS } from "./worlds.ts";

/** The attacker's answers contain this word. No message, event or log line of the service may contain it. */
const WORD = "kumquat";
const PEOPLE = 12;
/** The contract promises that a try of a connection takes at most this long. */
const TRY_MS = 30_000;
/**
 * An attack that takes more memory than this is a finding. Six tries at once take up to 190 MB in the process for calls, however
 * much they receive: it is the memory of their connections for media.
 */
const MORE_MEMORY_MB = { service: 100, calls: 250 };
/** The port of the planted fault, counted from the first port of the world. */
const PLANTED = ATTACK_PORTS - 3;

/** The outcome of an attack. */
export type Row = {
  world: number;
  attack: Attack;
  play: PlayOutcome;
  reached: string[];
  findings: string[];
  /** Proofs of the attack that are missing. */
  missing: string[];
};

export type Battery = {
  rows: Row[];
  /** Findings about each world that belong to no attack. */
  worlds: {
    /** Findings about a fault that was planted on purpose, so this list must not be empty. */
    planted: string[];
    /** Packets to forbidden addresses that belong to no attack. */
    others: string[];
    health: Health;
    hasEnded: boolean;
    wordsInLog: string[];
    lostMediaProcesses: number;
  }[];
  close: () => Promise<void>;
};

export type BatteryOptions = {
  /** The path of a real media server's program. */
  program: string | undefined;
  only: RegExp;
  isLong: boolean;
  /** Plants a fault in each attack. */
  plants: boolean;
};

/** Opens the worlds, plays all attacks in each, and judges them. */
export async function playBattery(options: BatteryOptions): Promise<Battery> {
  const { program, isLong } = options;
  const folder = mkdtempSync(join(tmpdir(), "svc-hostile-"));
  const closing: Closing = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const gateway = await openGateway();
    closing.push(gateway.close);
    const seed = Number(givenSeed ?? Date.now() % 1_000_000);
    console.log(`Hostile rooms with the seed ${seed}, in the ${isLong ? "long" : "short"} form.`);
    const ask = await startGateway(gateway, closing);
    await ask({ do: "open", word: WORD, seed, isLong, program, folder });
    const played = await Promise.all(
      WORLDS.map(async (_, number) => {
        const world = await openWorld(number, gateway, folder, WORD, closing);
        const rows = await playWorld(world, ask, options);
        return { rows, world: await judge(world, rows, ask) };
      }),
    );
    return { rows: played.flatMap(({ rows }) => rows), worlds: played.map(({ world }) => world), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const partOf = (attack: Attack): Part =>
  attack === CONTROL ? "control" : attack === ROOM_CONTROL ? "room control" : ATTACKS.indexOf(attack);

const portOf = (world: number, attack: Attack): number => {
  const part = partOf(attack);
  const place = typeof part === "number" ? part : ATTACK_PORTS - (part === "control" ? 1 : 2);
  return addressesOf(world).firstPort + place;
};

async function playWorld(world: World, ask: Ask, { only, plants, program }: BatteryOptions): Promise<Row[]> {
  const { number } = world;
  await ask({ do: "admit", world: number, people: PEOPLE });

  async function play(attack: Attack): Promise<Row> {
    const memory = world.watchMemory();
    const outcome = await ask<PlayOutcome>({ do: "play", world: number, part: partOf(attack) });
    const most = memory.most();
    if (plants) {
      await plant(world, portOf(number, attack));
      outcome.outcomes[0]!.shown += ` ${WORD}`;
    }
    const findings = attack.costsLittle ? costOf(memory.before, most) : [];
    console.log(`${Math.round(performance.now() / 1_000)} s, ${WORLDS[number]!.name}: ${attack.title}`);
    return { world: number, attack, play: outcome, reached: [], findings, missing: [] };
  }

  const isChosen = ({ title, needsRooms }: Attack) => only.test(title) && (!needsRooms || program !== undefined);
  const rows = [await play(CONTROL)];
  if (program !== undefined) rows.push(await play(ROOM_CONTROL));
  const chosen = ATTACKS.filter(isChosen);
  rows.push(...(await Promise.all(chosen.filter(({ isAlone }) => !isAlone).map(play))));
  for (const attack of chosen.filter(({ isAlone }) => isAlone)) rows.push(await play(attack));
  await plant(world, addressesOf(number).firstPort + PLANTED);
  return rows;
}

/** Sends packets to places that the service must never reach. */
async function plant(world: World, port: number): Promise<void> {
  for (const protocol of ["tcp", "udp"] as const)
    for (const to of ["169.254.169.254", "fd00:ec2::254", "127.0.0.1"]) await world.plant({ protocol, to, port });
}

function costOf(before: { service: number; calls: number }, most: { service: number; calls: number }): string[] {
  return (["service", "calls"] as const)
    .filter((kind) => most[kind] - before[kind] >= MORE_MEMORY_MB[kind])
    .map((kind) => `takes memory (${kind}): ${before[kind]} MB before, ${most[kind]} MB at most`);
}

const textOf = ({ protocol, to, port, packets, onLoopback }: PlacedPackets): string =>
  `${protocol} ${to}:${port}${onLoopback ? " on loopback" : ""} ×${packets}`;

/** Adds the findings from a world's packets to the rows of its attacks, and returns the findings that belong to no attack. */
async function judge(world: World, rows: Row[], ask: Ask): Promise<Battery["worlds"][number]> {
  const { number, service } = world;
  const packets = await world.packets();
  const { refusesPrivate } = WORLDS[number]!;
  const isForbidden = ({ to }: Packets, onlyMediaServer = false) =>
    kindOf(to) === "metadata" || (refusesPrivate && kindOf(to) === "private") || (onlyMediaServer && to !== PUBLIC);
  const claimed = new Set<PlacedPackets>();
  for (const row of rows) {
    const { attack, play } = row;
    const port = portOf(number, attack);
    const own = packets.filter((one) => one.port === port || attack.tcpPorts?.includes(one.port));
    for (const one of own) claimed.add(one);
    const ofMedia = packets.filter(
      (one) =>
        one.to === PUBLIC && one.stun > 0 && (attack.needsRooms ? MEDIA_PORTS.includes(one.port) : one.port === port),
    );
    row.reached = [...new Set([...own, ...ofMedia])].map(textOf);
    row.findings.push(
      ...own.filter((one) => isForbidden(one, attack.reachesOnlyMediaServer)).map((one) => `reached ${textOf(one)}`),
      ...play.strays.map((stray) => `followed: ${stray}`),
      ...findingsIn(play),
    );
    row.missing = attack.proof.filter((proof) => (proof === "media" ? ofMedia.length === 0 : !play.places[proof]));
  }
  const planted = packets.filter(({ port }) => port === addressesOf(number).firstPort + PLANTED);
  for (const one of planted) claimed.add(one);
  const log = service.printed();
  return {
    planted: planted.filter((one) => isForbidden(one)).map(textOf),
    others: packets.filter((one) => !claimed.has(one) && isForbidden(one)).map(textOf),
    health: await ask<Health>({ do: "health", world: number }),
    hasEnded: service.hasExited(),
    wordsInLog: log
      .split("\n")
      .filter((line) => line.toLowerCase().includes(WORD))
      .map((line) => line.slice(0, 300)),
    lostMediaProcesses: log.split("a media process ended during calls").length - 1,
  };
}

function findingsIn({ outcomes }: PlayOutcome): string[] {
  return outcomes.flatMap(({ about, kind, ms, message, endingReason, shown }) => [
    ...(shown.toLowerCase().includes(WORD) ? [`shows a word (${kind}, ${about}): …${around(shown)}…`] : []),
    ...(kind === "try" && ms > TRY_MS ? [`lasts ${ms} ms (${about})`] : []),
    ...(endingReason === "simulator_error" || endingReason === "no answer"
      ? [`is our fault (${kind}, ${about}): ${message}`]
      : []),
  ]);
}

function around(shown: string): string {
  const at = shown.toLowerCase().indexOf(WORD);
  return shown.slice(Math.max(0, at - 60), at + 40);
}

export function printReport({ rows, worlds }: Battery): void {
  const lines = WORLDS.flatMap(({ name }, number) => {
    const { others, health, wordsInLog, lostMediaProcesses } = worlds[number]!;
    return [
      `\n${name}`,
      ...rows.filter(({ world }) => world === number).flatMap(linesOf),
      ...(others.length > 0 ? [`  FAIL beside the attacks: ${few(others)}`] : []),
      `  health: ${health.failures} failures, slowest ${health.slowestMs} ms; media processes that ended during calls: ${lostMediaProcesses}`,
      `  lines of the log with the word: ${wordsInLog.length}`,
      ...wordsInLog.slice(0, 5).map((line) => `       ${line}`),
    ];
  });
  console.log(`${lines.join("\n")}\n\nload ${loadavg()[0]!.toFixed(1)}`);
}

function linesOf({ attack, play, reached, findings, missing }: Row): string[] {
  const slowestMs = Math.max(...play.outcomes.map(({ ms }) => ms));
  const messages = [...new Set(play.outcomes.map(({ message }) => message))];
  return [
    `  ${findings.length === 0 && missing.length === 0 ? "ok  " : "FAIL"} ${attack.title}`,
    `       attempts ${play.outcomes.length}, slowest ${slowestMs} ms; requests ${JSON.stringify(play.places)}`,
    `       reached ${few(reached)}`,
    `       shown ${few(messages)}`,
    ...findings.map((finding) => `       finding: ${finding}`),
    ...missing.map((proof) => `       no proof: ${proof}`),
  ];
}

const MANY = 12;
const few = (texts: readonly string[]): string =>
  `${texts.slice(0, MANY).join(" | ")}${texts.length > MANY ? ` | and ${texts.length - MANY} more` : ""}`;
