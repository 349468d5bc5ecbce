import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOf } from "../../calls/processes.ts";
import { seed as givenSeed } from "../../property-seed.ts";
import { addressesOf, API_PORT, ATTACK_PORTS, FIRST_OWN_PORT, kindOf, PUBLIC } from "./addresses.ts";
import { type Attack, ATTACKS, CONTROL, ROOM_CONTROL } from "./attacks.ts";
import type { ToCanaries } from "./canaries.ts";
import type { Part, PlayOutcome, ToGateway } from "./gateway.ts";
import {
  countPackets,
  type IsolatedService,
  linkOfWorld,
  type Namespace,
  openGateway,
  type PacketCounter,
  type Packets,
  startIsolatedService,
} from "./namespaces.ts";
import { MEDIA_PORTS } from "./real-rooms.ts";

const ROOT = join(import.meta.dirname, "../../../..");
/** No message, event or line of a log may hold it. */
const WORD = "kumquat";
const PEOPLE = 12;
/** The contract promises an answer within this time. */
const TRY_MS = 30_000;
const MORE_MEMORY_MB = 150;
const WATCH_EVERY_MS = 500;
const PLANTED = ATTACK_PORTS - 3;

/** A service with one configuration. */
export const WORLDS = [
  {
    name: "a service that calls private addresses",
    refusesPrivate: false,
    // Strangers may sign up so that the battery has several organizations; the addresses are those of the default.
    settings: { SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true" },
  },
  { name: "a service with open sign-up", refusesPrivate: true, settings: { SVC_OPEN_SIGNUP: "true" } },
] as const;

/** What an attack did, and what it must not have done. */
export type Row = {
  world: number;
  title: string;
  play: PlayOutcome;
  reached: string[];
  findings: string[];
  missing: string[];
};

export type Battery = {
  rows: Row[];
  /** Findings of a fault that is planted in each world, which must not be empty. */
  planted: { world: number; findings: string[] }[];
  /** Packets to forbidden places that belong to no attack. */
  others: { world: number; findings: string[] }[];
  services: {
    world: number;
    /** The memory of the service, and of the largest process for calls: after one quiet call, and at most. */
    idleMb: Memory;
    mostMb: Memory;
    hasEnded: boolean;
    wordsInLog: string[];
    lostMediaProcesses: number;
  }[];
  close: () => Promise<void>;
};

type Memory = { service: number; calls: number };

type World = {
  number: number;
  service: IsolatedService;
  canaries: ChildProcess;
  counters: PacketCounter[];
  idleMb: Memory;
  mostMb: Memory;
};

export type BatteryOptions = {
  /** The program of a real media server. */
  program: string | undefined;
  only: RegExp;
  isLong: boolean;
  /** Plants a fault in each attack. */
  plants: boolean;
};

/** Opens the worlds, plays all attacks in each, and judges them. */
export async function playBattery({ program, only, isLong, plants }: BatteryOptions): Promise<Battery> {
  const folder = mkdtempSync(join(tmpdir(), "svc-hostile-"));
  const closing: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const gateway = await openGateway();
    closing.push(gateway.close);
    const seed = Number(givenSeed ?? Date.now() % 1_000_000);
    console.log(`Hostile rooms with the seed ${seed}, ${isLong ? "the long form" : "the short form"}.`);
    const ask = await startGateway(gateway, closing);
    await ask({ do: "open", word: WORD, seed, isLong, program });
    const worlds = await Promise.all(WORLDS.map((_, number) => openWorld(number, gateway, folder, closing)));
    const rows: Row[] = [];
    await Promise.all(
      worlds.map(async (world) =>
        rows.push(...(await playWorld(world, ask, { only, plants, hasRooms: program !== undefined }))),
      ),
    );
    return { ...(await judge(worlds, rows)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Ask = <T = void>(message: Omit<ToGateway, "id"> & Record<string, unknown>) => Promise<T>;

/** Starts the program of the outside in the gateway's namespace. */
async function startGateway(gateway: Namespace, closing: (() => Promise<unknown> | void)[]): Promise<Ask> {
  const child = startIn(gateway, "gateway.ts");
  closing.push(() => end(child));
  await once(child, "message");
  let id = 0;
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  child.on("message", ({ id: of, answer, error }: { id: number; answer?: unknown; error?: string }) => {
    const asked = waiting.get(of);
    waiting.delete(of);
    if (error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(error));
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the gateway's program ended with ${code}`));
  });
  return (message) =>
    new Promise((resolve, reject) => {
      waiting.set(++id, { resolve: resolve as (answer: unknown) => void, reject });
      child.send({ ...message, id });
    });
}

/** Starts a program of this folder in a namespace, with a channel; it ends with the channel. */
function startIn(namespace: Namespace, file: string): ChildProcess {
  const [execPath, [...execArgv]] = namespace.command(process.execPath, "--conditions=svc-source");
  return fork(join(import.meta.dirname, file), [], {
    execPath,
    execArgv,
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  if (child.connected) child.disconnect();
  await exited;
}

async function openWorld(
  number: number,
  gateway: Namespace,
  folder: string,
  closing: (() => Promise<unknown> | void)[],
): Promise<World> {
  const addresses = addressesOf(number);
  const service = await startIsolatedService(gateway, addresses, join(folder, `world-${number}`), {
    SVC_DATA_DIR: join(folder, `world-${number}`, "data"),
    XDG_CACHE_HOME: join(ROOT, "node_modules/.cache"),
    SVC_HOST: "0.0.0.0",
    PORT: String(API_PORT),
    SVC_WEB_PORT: String(API_PORT),
    SVC_BASE_URL: `http://${addresses.service}:${API_PORT}`,
    SVC_RATE_LIMIT_PER_MINUTE: "100000",
    SVC_CALLS_AT_ONCE: "6",
    SVC_INIT_ORGANIZATION: "Acme",
    ...WORLDS[number]!.settings,
  });
  closing.push(service.close);
  const counters = await Promise.all([countPackets(gateway, linkOfWorld(addresses)), countPackets(service, "lo")]);
  for (const counter of counters) closing.push(counter.close);
  const canaries = startIn(service, "canaries.ts");
  closing.push(() => end(canaries));
  const ports = Array.from({ length: ATTACK_PORTS }, (_, at) => addresses.firstPort + at);
  await tell(canaries, { open: [80, 443, 8080, ...ports], word: WORD });
  return { number, service, canaries, counters, idleMb: { service: 0, calls: 0 }, mostMb: { service: 0, calls: 0 } };
}

async function tell(canaries: ChildProcess, message: ToCanaries): Promise<void> {
  const done = once(canaries, "message");
  canaries.send(message);
  await done;
}

function memoryNow({ service }: World): Memory {
  const [own = 0, ...ofCalls] = service.processes().map((pid) => {
    try {
      return Math.round(memoryOf(pid));
    } catch {
      return 0;
    }
  });
  return { service: own, calls: Math.max(0, ...ofCalls) };
}

type Course = { only: RegExp; plants: boolean; hasRooms: boolean };

async function playWorld(world: World, ask: Ask, { only, plants, hasRooms }: Course): Promise<Row[]> {
  const { number } = world;
  await ask({ do: "admit", world: number, people: PEOPLE });

  async function play(part: Part, attack: Attack): Promise<Row> {
    const outcome = await ask<PlayOutcome>({ do: "play", world: number, part });
    console.log(
      `${(performance.now() / 1_000).toFixed(0)} s, world ${number}: ${attack.title}, ${outcome.outcomes.length} tries`,
    );
    if (plants) await plant(world, typeof part === "number" ? part : 0);
    if (plants) outcome.outcomes[0]!.shown += ` ${WORD}`;
    return { world: number, title: attack.title, play: outcome, reached: [], findings: [], missing: [] };
  }

  const rows = [await play("control", CONTROL)];
  if (hasRooms) rows.push(await play("room control", ROOM_CONTROL));
  world.idleMb = memoryNow(world);
  const watching = setInterval(() => {
    const { service, calls } = memoryNow(world);
    world.mostMb = { service: Math.max(world.mostMb.service, service), calls: Math.max(world.mostMb.calls, calls) };
  }, WATCH_EVERY_MS);
  try {
    const chosen = ATTACKS.map((attack, part) => ({ attack, part })).filter(
      ({ attack }) => only.test(attack.title) && (hasRooms || !attack.needsRooms),
    );
    const beside = chosen.filter(({ attack }) => !attack.isAlone);
    rows.push(...(await Promise.all(beside.map(({ attack, part }) => play(part, attack)))));
    for (const { attack, part } of chosen.filter(({ attack }) => attack.isAlone)) rows.push(await play(part, attack));
  } finally {
    clearInterval(watching);
  }
  await plant(world, PLANTED);
  return rows;
}

/** Sends packets from beside the service to places that it must never reach. */
async function plant({ canaries, number }: World, part: number): Promise<void> {
  const port = addressesOf(number).firstPort + part;
  for (const protocol of ["tcp", "udp"] as const)
    for (const to of ["169.254.169.254", "fd00:ec2::254", "127.0.0.1"])
      await tell(canaries, { plant: { protocol, to, port } });
}

type Placed = Packets & { onLoopback: boolean };

async function packetsOf({ counters, number }: World): Promise<Placed[]> {
  const [outside, inside] = await Promise.all(counters.map((counter) => counter.read()));
  const { gateway, gateway6 } = addressesOf(number);
  const isNames = ({ to, port }: Packets) => port === 53 && (to === gateway || to === gateway6);
  return [
    ...outside!.filter((packets) => !isNames(packets)).map((packets) => ({ ...packets, onLoopback: false })),
    // The service's own sockets speak with each other over loopback, at ports that the system chose.
    ...inside!.filter(({ port }) => port < FIRST_OWN_PORT).map((packets) => ({ ...packets, onLoopback: true })),
  ];
}

const textOf = ({ protocol, to, port, packets, onLoopback }: Placed): string =>
  `${protocol} ${to}:${port}${onLoopback ? " on loopback" : ""} ×${packets}`;

async function judge(worlds: World[], rows: Row[]): Promise<Omit<Battery, "close">> {
  const planted: Battery["planted"] = [];
  const others: Battery["others"] = [];
  const services: Battery["services"] = [];
  for (const world of worlds) {
    const { number, service } = world;
    const { firstPort } = addressesOf(number);
    const packets = await packetsOf(world);
    const { refusesPrivate } = WORLDS[number]!;
    const isForbidden = ({ to }: Packets, onlyMediaServer = false) =>
      kindOf(to) === "metadata" || (refusesPrivate && kindOf(to) === "private") || (onlyMediaServer && to !== PUBLIC);
    const claimed = new Set<Placed>();
    for (const row of rows.filter((one) => one.world === number)) {
      const place = ATTACKS.findIndex(({ title }) => title === row.title);
      const attack = ATTACKS[place] ?? [CONTROL, ROOM_CONTROL].find(({ title }) => title === row.title)!;
      const port = firstPort + (place >= 0 ? place : attack === CONTROL ? ATTACK_PORTS - 1 : ATTACK_PORTS - 2);
      const ports = [port, ...(attack.ports ?? [])];
      const own = packets.filter((one) => ports.includes(one.port));
      for (const one of own) claimed.add(one);
      row.reached = own.map(textOf);
      row.findings = [
        ...own.filter((one) => isForbidden(one, attack.reachesOnlyMediaServer)).map((one) => `reached ${textOf(one)}`),
        ...row.play.strays.map((stray) => `followed: ${stray}`),
        ...findingsIn(row.play),
      ];
      const hasMedia = packets.some(
        ({ to, port: at, stun }) =>
          to === PUBLIC && stun > 0 && (at === port || (attack.needsRooms && MEDIA_PORTS.includes(at))),
      );
      row.missing = attack.proof.filter((proof) => (proof === "media" ? !hasMedia : !row.play.places[proof]));
    }
    const atPlanted = packets.filter(({ port }) => port === firstPort + PLANTED);
    for (const one of atPlanted) claimed.add(one);
    planted.push({ world: number, findings: atPlanted.filter((one) => isForbidden(one)).map(textOf) });
    const unclaimed = packets.filter((one) => !claimed.has(one) && isForbidden(one)).map(textOf);
    others.push({ world: number, findings: unclaimed });
    const log = service.printed();
    services.push({
      world: number,
      idleMb: world.idleMb,
      mostMb: world.mostMb,
      hasEnded: service.hasExited(),
      wordsInLog: log
        .split("\n")
        .filter((line) => line.toLowerCase().includes(WORD))
        .map((line) => line.slice(0, 300)),
      lostMediaProcesses: log.split("a media process ended during calls").length - 1,
    });
  }
  return { rows, planted, others, services };
}

function findingsIn({ outcomes, isHealthy }: PlayOutcome): string[] {
  return [
    ...outcomes
      .filter(({ shown }) => shown.toLowerCase().includes(WORD))
      .map(({ about, kind, shown }) => `shows a word (${kind}, ${about}): …${around(shown)}…`),
    ...outcomes
      .filter(({ kind, ms }) => kind === "try" && ms > TRY_MS)
      .map(({ about, ms }) => `lasts ${ms} ms (${about})`),
    ...outcomes
      .filter(({ endingReason }) => endingReason === "simulator_error" || endingReason === "no answer")
      .map(({ about, kind, message }) => `is our fault (${kind}, ${about}): ${message}`),
    ...(isHealthy ? [] : ["the service is not healthy"]),
  ];
}

function around(shown: string): string {
  const at = shown.toLowerCase().indexOf(WORD);
  return shown.slice(Math.max(0, at - 60), at + 40);
}

/** Prints what each attack did. */
export function printReport({ rows, services, others }: Battery): void {
  const lines = WORLDS.flatMap(({ name }, number) => [
    `\n${name}`,
    ...rows
      .filter(({ world }) => world === number)
      .flatMap(({ title, play, reached, findings, missing }) => [
        `  ${findings.length === 0 && missing.length === 0 ? "ok  " : "FAIL"} ${title}`,
        `       attempts ${play.outcomes.length}; requests ${JSON.stringify(play.places)}; slowest ${Math.max(...play.outcomes.map(({ ms }) => ms))} ms; health ≤ ${play.slowestHealthMs} ms`,
        `       reached ${few(reached)}`,
        `       shown ${few([...new Set(play.outcomes.map(({ message }) => message))])}`,
        ...findings.map((finding) => `       finding: ${finding}`),
        ...missing.map((proof) => `       no proof: ${proof}`),
      ]),
    ...others
      .filter(({ world, findings }) => world === number && findings.length > 0)
      .map(({ findings }) => `  FAIL beside the attacks: ${few(findings)}`),
    ...services
      .filter(({ world }) => world === number)
      .map(
        ({ idleMb, mostMb, wordsInLog, lostMediaProcesses }) =>
          `  memory in MB after a quiet call ${JSON.stringify(idleMb)}, at most ${JSON.stringify(mostMb)}; lines of the log with the word ${wordsInLog.length}; media processes that ended during calls ${lostMediaProcesses}`,
      ),
  ]);
  console.log(`${lines.join("\n")}\n\nload ${loadavg()[0]!.toFixed(1)}`);
}

const few = (texts: readonly string[]): string =>
  `${texts.slice(0, 12).join(" | ")}${texts.length > 12 ? ` | and ${texts.length - 12} more` : ""}`;

export const MEMORY_LIMIT_MB = MORE_MEMORY_MB;
