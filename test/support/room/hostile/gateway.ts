import { createClient, type Client } from "@svc/sdk";
import { random } from "../../livekit-request.ts";
import { until } from "../../until.ts";
import { addressesOf, ATTACK_PORTS, OTHER_PUBLIC, PUBLIC, API_PORT } from "./addresses.ts";
import { type Attack, ATTACKS, CONTROL, followed, ROOM_CONTROL, type Stage, type Try } from "./attacks.ts";
import { startNames } from "./dns.ts";
import { createMediaServers } from "./media-server.ts";
import { ROOM_KEY, startRealRooms } from "./real-rooms.ts";

/** What is tested of an attack: its place in the list, or a control. */
export type Part = number | "control" | "room control";

/** Messages to the gateway. */
export type ToGateway =
  | { id: number; do: "open"; word: string; seed: number; isLong: boolean; program: string | undefined }
  | { id: number; do: "admit"; world: number; people: number }
  | { id: number; do: "play"; world: number; part: Part };

/** One try, as a person sees it. */
export type TryOutcome = {
  about: string;
  kind: "try" | "run";
  ms: number;
  message: string;
  endingReason: string | null;
  /** Everything that the service shows about it. */
  shown: string;
  connected: boolean;
};

export type PlayOutcome = {
  outcomes: TryOutcome[];
  /** How many requests came to each place of the attacker's server. */
  places: Record<string, number>;
  /** Requests that arrived anywhere else, or by a redirect. */
  strays: string[];
  isHealthy: boolean;
  slowestHealthMs: number;
};

// The world outside, as one program: servers of names and of media at all addresses, canaries, and the people who use the services.

const TRIES_AT_ONCE = 4;
const RUNS_AT_ONCE = 6;
const PASSWORD = "a long enough password";
/** Ports on which machines keep what nobody outside should reach. */
const CANARY_PORTS = [80, 443, 3478, 5349, 8080];

const names = await startNames();
let word = "";
let media: ReturnType<typeof createMediaServers>;
let rooms: Stage["rooms"];
let draws = random(1);
let isLong = false;
let serial = 0;

type Person = { client: Client; running: number };
type World = { people: Person[]; running: number; runs: number; url: string };
const worlds = new Map<number, World>();

const HANDLERS = {
  async open(message: Extract<ToGateway, { do: "open" }>) {
    word = message.word;
    isLong = message.isLong;
    draws = random(message.seed);
    media = createMediaServers([PUBLIC, OTHER_PUBLIC], word);
    await Promise.all(CANARY_PORTS.map((port) => media.openCanary(port)));
    if (message.program !== undefined) rooms = await startRealRooms(message.program);
  },

  async admit({ world, people }: Extract<ToGateway, { do: "admit" }>) {
    const url = `http://${addressesOf(world).service}:${API_PORT}`;
    await until("the service answers", () => fetch(`${url}/health`).then(({ ok }) => ok), 120_000);
    const admitted: Person[] = [];
    for (let one = 0; one < people; one++)
      admitted.push({ client: await signUp(url, `${one}@${world}.test`), running: 0 });
    worlds.set(world, { people: admitted, running: 0, runs: 0, url });
  },

  async play({ world, part }: Extract<ToGateway, { do: "play" }>): Promise<PlayOutcome> {
    const attack = part === "control" ? CONTROL : part === "room control" ? ROOM_CONTROL : ATTACKS[part]!;
    const place = part === "control" ? ATTACK_PORTS - 1 : part === "room control" ? ATTACK_PORTS - 2 : part;
    return play(attack, worlds.get(world)!, stageOf(world, addressesOf(world).firstPort + place));
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
  let isHealthy = true;
  let slowestHealthMs = 0;
  const watching = setInterval(async () => {
    const startedMs = performance.now();
    const ok = await fetch(`${world.url}/health`, { signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.ok,
      () => false,
    );
    isHealthy &&= ok;
    slowestHealthMs = Math.max(slowestHealthMs, performance.now() - startedMs);
  }, 500);
  try {
    const works = tries.map(
      (one, at) => () => (at % 2 === 0 || attack.onlyTries ? tryIt : runIt)(world, stage, one, at),
    );
    const inTurn = attack.isAlone && isLong;
    const outcomes = inTurn ? await oneByOne(works) : await Promise.all(works.map((work) => work()));
    return { outcomes, ...arrivedAt(port), isHealthy, slowestHealthMs: Math.round(slowestHealthMs) };
  } finally {
    clearInterval(watching);
  }
}

async function oneByOne<T>(works: (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}

function arrivedAt(port: number): Pick<PlayOutcome, "places" | "strays"> {
  const here = media.requests.filter((request) => request.port === port || request.line.includes(followed(port)));
  const places: Record<string, number> = {};
  const strays: string[] = [];
  for (const { to, script, place, line, port: at } of here) {
    if (line.includes(followed(port)) || to !== PUBLIC) strays.push(`${line.slice(0, 60)} at ${to}:${at}`);
    else if (script !== undefined || place === "other") places[place] = (places[place] ?? 0) + 1;
  }
  return { places, strays: [...new Set(strays)] };
}

/** Registers a connection of the person to the attacker's server. */
async function connectionOf({ client }: Person, { port }: Stage, { host = PUBLIC, byEndpoint }: Try, at: number) {
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

/** Holds a try when the service has a place for it. */
async function tryIt(world: World, stage: Stage, one: Try, at: number): Promise<TryOutcome> {
  const person = await until("a place for a try", () => freePerson(world), 600_000);
  person.running++;
  world.running++;
  try {
    const ids = await connectionOf(person, stage, one, at);
    for (;;) {
      const startedMs = performance.now();
      const tried = await person.client.connections.try(ids, { timeoutMs: 90_000 }).catch((error: unknown) => {
        if (isBusy(error)) return undefined;
        return { message: String(error), endingReason: "no answer", steps: [] };
      });
      if (tried === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
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
  } finally {
    person.running--;
    world.running--;
  }
}

function freePerson({ people, running }: World): Person | undefined {
  if (running >= TRIES_AT_ONCE) return undefined;
  // The person who waited longest has most tries of this minute left.
  const at = people.findIndex((person) => person.running < 2);
  if (at < 0) return undefined;
  const [person] = people.splice(at, 1);
  people.push(person!);
  return person;
}

/** Plays a run of one simulation over the connection, and returns what the service shows about it. */
async function runIt(world: World, stage: Stage, one: Try, at: number): Promise<TryOutcome> {
  await until("a place for a run", () => world.runs < RUNS_AT_ONCE, 600_000);
  world.runs++;
  try {
    return await playRun(world.people[0]!, stage, one, at);
  } finally {
    world.runs--;
  }
}

async function playRun(person: Person, stage: Stage, one: Try, at: number): Promise<TryOutcome> {
  const { client } = person;
  const startedMs = performance.now();
  const ids = await connectionOf(person, stage, one, at);
  const test = await client.tests.create({
    name: `test ${++serial}`,
    scenario: "Says: I need a double room for Friday, please.",
    expected_behaviors: ["The agent answers."],
  });
  const made = await client.runs.create({ ...ids, testVersions: [test.version_id], caller: "scripted" });
  if (!("run" in made)) throw new Error("the service answered with a plan instead of a run");
  const runId = made.run.id;
  const settled = await until(
    `the end of a run: ${one.about}`,
    async () => {
      const { run } = await client.runs.get({ runId });
      return run.gradingSettled && run;
    },
    240_000,
  );
  const { simulations } = await client.runs.simulations({ runId });
  const { simulation } = await client.simulations.get({ simulationId: simulations[0]!.id });
  const events = await client.runs.events({ runId });
  return {
    about: one.about,
    kind: "run",
    ms: Math.round(performance.now() - startedMs),
    message: simulation.message ?? "",
    endingReason: simulation.endingReason,
    shown: JSON.stringify([settled, simulations, simulation, events]),
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
