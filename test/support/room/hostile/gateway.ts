import { setTimeout as delay } from "node:timers/promises";
import { createClient, type Client } from "@svc/sdk";
import { random } from "../../livekit-request.ts";
import { until } from "../../until.ts";
import { addressesOf, ATTACK_PORTS, OTHER_PUBLIC, PUBLIC, API_PORT } from "./addresses.ts";
import { ATTACKS, CONTROL, ROOM_CONTROL } from "./attacks.ts";
import { type Attack, followed, type Stage, type Try } from "./stage.ts";
import { startNames } from "./dns.ts";
import { createMediaServers } from "./media-server.ts";
import { ROOM_KEY, startRealRooms } from "./real-rooms.ts";

/** An attack by its number in the list, or a control without an attack. */
export type Part = number | "control" | "room control";

/** Messages to the gateway. */
export type ToGateway =
  | { id: number; do: "open"; word: string; seed: number; isLong: boolean; program: string | undefined; folder: string }
  | { id: number; do: "admit"; world: number; people: number }
  | { id: number; do: "play"; world: number; part: Part }
  | { id: number; do: "health"; world: number };

/** The outcome of one try, as the user of the service sees it. */
export type TryOutcome = {
  about: string;
  kind: "try" | "run";
  ms: number;
  message: string;
  endingReason: string | null;
  /** Everything that the service shows about the try. */
  shown: string;
  connected: boolean;
};

export type PlayOutcome = {
  outcomes: TryOutcome[];
  /** The number of requests at each endpoint of the attacker's server. */
  places: Record<string, number>;
  /** Requests that arrived at any other address, or by a redirect. */
  strays: string[];
};

export type Health = { failures: number; slowestMs: number };

// Everything outside of the services, in one program: DNS servers and media servers at all addresses, canaries, and the users of
// the services.

const TRIES_AT_ONCE = 4;
const RUNS_AT_ONCE = 6;
const HEALTH_MS = 10_000;
const BUSY_MS = 1_000;
const LOOK_EVERY_MS = 300;
const PASSWORD = "a long enough password";
/** Ports at which machines often have services that nobody outside should reach. */
const CANARY_PORTS = [80, 443, 3478, 5349, 8080];

const names = await startNames();
let word = "";
let media: ReturnType<typeof createMediaServers>;
let rooms: Stage["rooms"];
let draws = random(1);
let isLong = false;
let serial = 0;

type World = {
  url: string;
  /** The users of the service. Tries take turns among them, so that each user makes few tries in a minute. */
  people: Client[];
  tries: Places;
  runs: Places;
  health: Health;
};
const worlds = new Map<number, World>();

const HANDLERS = {
  async open(message: Extract<ToGateway, { do: "open" }>) {
    word = message.word;
    isLong = message.isLong;
    draws = random(message.seed);
    media = createMediaServers([PUBLIC, OTHER_PUBLIC], word);
    await Promise.all(CANARY_PORTS.map((port) => media.openCanary(port)));
    if (message.program !== undefined) rooms = await startRealRooms(message.program, message.folder);
  },

  async admit({ world, people }: Extract<ToGateway, { do: "admit" }>) {
    const url = `http://${addressesOf(world).service}:${API_PORT}`;
    await until("the service answers", () => fetch(`${url}/health`).then(({ ok }) => ok), 120_000);
    const admitted: Client[] = [];
    for (let one = 0; one < people; one++) admitted.push(await signUp(url, `${one}@${world}.test`));
    const [tries, runs] = [createPlaces(TRIES_AT_ONCE), createPlaces(RUNS_AT_ONCE)];
    worlds.set(world, { url, people: admitted, tries, runs, health: watchHealth(url) });
  },

  async play({ world, part }: Extract<ToGateway, { do: "play" }>): Promise<PlayOutcome> {
    const attack = part === "control" ? CONTROL : part === "room control" ? ROOM_CONTROL : ATTACKS[part]!;
    const place = part === "control" ? ATTACK_PORTS - 1 : part === "room control" ? ATTACK_PORTS - 2 : part;
    return play(attack, worlds.get(world)!, stageOf(world, addressesOf(world).firstPort + place));
  },

  async health({ world }: Extract<ToGateway, { do: "health" }>): Promise<Health> {
    return worlds.get(world)!.health;
  },
};

function stageOf(world: number, port: number): Stage {
  return {
    port,
    addresses: addressesOf(world),
    word,
    names,
    nameOf(plan) {
      const name = `n${++serial}.hostile.test`;
      names.set(name, plan);
      return name;
    },
    isLong,
    draw<T>(cases: readonly T[], count: number): T[] {
      if (isLong) return [...cases];
      const rest = [...cases];
      return Array.from(
        { length: Math.min(count, rest.length) },
        () => rest.splice(Math.floor(draws() * rest.length), 1)[0]!,
      );
    },
    rooms,
  };
}

async function play(attack: Attack, world: World, stage: Stage): Promise<PlayOutcome> {
  const { port } = stage;
  const tries = attack.tries(stage);
  await Promise.all(tries.map(({ script }, at) => media.play(port, `t${at}`, script)));
  const works = tries.map((one, at) => () => {
    const isRun = at % 2 === 1 && !attack.onlyTries;
    const places = isRun ? world.runs : world.tries;
    return places(() => (isRun ? playRun : holdTry)(nextPerson(world), stage, one, at));
  });
  const inTurn = attack.isAlone && isLong;
  const outcomes = inTurn ? await oneByOne(works) : await Promise.all(works.map((work) => work()));
  return { outcomes, ...arrivedAt(port) };
}

/** Requests the health of a service at short intervals. */
function watchHealth(url: string): Health {
  const health: Health = { failures: 0, slowestMs: 0 };
  const look = async () => {
    const startedMs = performance.now();
    const ok = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) }).then(
      (response) => response.ok,
      () => false,
    );
    health.failures += ok ? 0 : 1;
    health.slowestMs = Math.max(health.slowestMs, Math.round(performance.now() - startedMs));
    setTimeout(look, LOOK_EVERY_MS);
  };
  void look();
  return health;
}

async function oneByOne<T>(works: (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}

function arrivedAt(port: number): Pick<PlayOutcome, "places" | "strays"> {
  const here = media.requests.filter((request) => request.port === port || isFollowed(request.line, port));
  const places: Record<string, number> = {};
  const strays: string[] = [];
  for (const { to, script, place, line, hasMore, port: at } of here) {
    if (isFollowed(line, port) || hasMore) strays.push(`${line.slice(0, 60)} at ${to}:${at}`);
    else if (to === PUBLIC && (script !== undefined || place === "other")) places[place] = (places[place] ?? 0) + 1;
  }
  return { places, strays: [...new Set(strays)] };
}

const isFollowed = (line: string, port: number): boolean => line.split("?")[0]!.includes(followed(port));

/** Stores a connection of an agent whose address is the attacker's server. */
async function connectionOf(client: Client, { port }: Stage, { host = PUBLIC, byEndpoint }: Try, at: number) {
  const base = `${host}:${port}/t${at}`;
  const { agent } = await client.agents.register({ name: `agent ${++serial}` });
  const { connection } = await client.connections.create({
    agentId: agent.id,
    name: "room",
    connectionType: "platform_b_room",
    ...(byEndpoint
      ? {
          accessVariant: "platform_b_room.customer_token_endpoint" as const,
          config: { url: `ws://${base}`, tokenEndpoint: `http://${PUBLIC}:${port}/t${at}/token` },
          credential: { headers: { "x-customer": "aurora-hotel" } },
        }
      : {
          accessVariant: "platform_b_room.project_credentials" as const,
          config: { url: `ws://${base}`, agentName: "hotel" },
          credential: ROOM_KEY,
        }),
  });
  return { agentId: agent.id, connectionId: connection.id };
}

const isBusy = (error: unknown): boolean => (error as { status?: number }).status === 429;

/** Runs work with a limit on how much runs at the same time; the rest waits in order. */
type Places = <T>(work: () => Promise<T>) => Promise<T>;

function createPlaces(atOnce: number): Places {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/** Returns the user whose last try was longest ago. */
function nextPerson({ people }: World): Client {
  const person = people.shift()!;
  people.push(person);
  return person;
}

async function holdTry(client: Client, stage: Stage, one: Try, at: number): Promise<TryOutcome> {
  const ids = await connectionOf(client, stage, one, at);
  for (;;) {
    const startedMs = performance.now();
    const tried = await client.connections.try(ids, { timeoutMs: 90_000 }).catch((error: unknown) => {
      if (isBusy(error)) return undefined;
      return { message: String(error), endingReason: "no answer", steps: [] };
    });
    if (tried === undefined) {
      await delay(BUSY_MS);
      continue;
    }
    return {
      about: one.about,
      kind: "try",
      ms: Math.round(performance.now() - startedMs),
      message: tried.message,
      endingReason: tried.endingReason,
      shown: JSON.stringify(tried),
      connected: tried.steps.some(({ step, result }) => step === "connect" && result === "done"),
    };
  }
}

/** Plays a run of one simulation over the connection, and returns what the service shows about it. */
async function playRun(client: Client, stage: Stage, one: Try, at: number): Promise<TryOutcome> {
  const startedMs = performance.now();
  const ids = await connectionOf(client, stage, one, at);
  const test = await client.tests.create({
    name: `test ${++serial}`,
    scenario: "Says: I need a double room for Friday, please.",
    expected_behaviors: ["The agent answers."],
  });
  const made = await client.runs.create({ ...ids, testVersions: [test.version_id], caller: "scripted" });
  if (!("run" in made)) throw new Error("the service answered with a plan instead of a run");
  const runId = made.run.id;
  let { run } = await client.runs.get({ runId });
  while (!run.gradingSettled) {
    await delay(LOOK_EVERY_MS);
    ({ run } = await client.runs.get({ runId }));
  }
  const { simulations } = await client.runs.simulations({ runId });
  const { simulation } = await client.simulations.get({ simulationId: simulations[0]!.id });
  const events = await client.runs.events({ runId });
  return {
    about: one.about,
    kind: "run",
    ms: Math.round(performance.now() - startedMs),
    message: simulation.message ?? "",
    endingReason: simulation.endingReason,
    shown: JSON.stringify([run, simulations, simulation, events]),
    connected: simulation.startedAt !== null,
  };
}

async function signUp(url: string, email: string): Promise<Client> {
  const response = await fetch(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ name: "Mallory", email, password: PASSWORD }),
  });
  if (response.status !== 201) throw new Error(`no sign-up: ${response.status} ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const bySession = createClient({ baseUrl: url, cookie, retries: 0 });
  const { projects } = await bySession.projects.list();
  const { secret } = await bySession.keys.create({ project_id: projects[0]!.id });
  return createClient({ baseUrl: url, apiKey: secret, retries: 0, timeoutMs: 120_000 });
}

process.on("message", async (message: ToGateway) => {
  try {
    const answer = await HANDLERS[message.do](message as never);
    process.send!({ id: message.id, answer });
  } catch (error) {
    process.send!({ id: message.id, error: (error as Error).stack });
  }
});
process.on("disconnect", () => process.exit(0));
process.send!({ id: 0 });
