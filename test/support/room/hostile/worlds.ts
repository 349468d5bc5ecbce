import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { memoryOf } from "../../calls/processes.ts";
import { addressesOf, API_PORT, ATTACK_PORTS, FIRST_OWN_PORT } from "./addresses.ts";
import type { ToCanaries } from "./canaries.ts";
import type { ToGateway } from "./gateway.ts";
import {
  countPackets,
  type IsolatedService,
  linkOfWorld,
  type Namespace,
  type PacketCounter,
  type Packets,
  startIsolatedService,
} from "./namespaces.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const WATCH_EVERY_MS = 250;

/** Work to do at the end, the last one first. */
export type Closing = (() => Promise<unknown> | void)[];

/** The settings of the service in each world. */
export const WORLDS = [
  {
    name: "a service that calls private addresses",
    refusesPrivate: false,
    // Open sign-up lets these specs create several organizations. `SVC_OUTBOUND_PRIVATE` has its default value of a service without
    // open sign-up.
    settings: { SVC_OPEN_SIGNUP: "true", SVC_OUTBOUND_PRIVATE: "true" },
  },
  { name: "a service with open sign-up", refusesPrivate: true, settings: { SVC_OPEN_SIGNUP: "true" } },
] as const;

/** The memory of the service, and of its largest process for calls, in MB. */
export type Memory = { service: number; calls: number };

/** A service in a separate namespace, with canaries beside it and counters of all packets that leave it or stay inside. */
export type World = {
  number: number;
  service: IsolatedService;
  /** Returns the packets that a call can have caused. */
  packets: () => Promise<PlacedPackets[]>;
  /** Sends a packet from a program beside the service. */
  plant: (packet: { protocol: "tcp" | "udp"; to: string; port: number }) => Promise<void>;
  memory: () => Memory;
  /** Returns the memory at the start, and a function that ends the measurement and returns the highest memory. */
  watchMemory: () => { before: Memory; most: () => Memory };
};

export type PlacedPackets = Packets & { onLoopback: boolean };

export async function openWorld(
  number: number,
  gateway: Namespace,
  folder: string,
  word: string,
  closing: Closing,
): Promise<World> {
  const addresses = addressesOf(number);
  const service = await startIsolatedService(gateway, addresses, join(folder, `world-${number}`), {
    SVC_DATA_DIR: join(folder, `world-${number}`, "data"),
    XDG_CACHE_HOME: join(ROOT, "node_modules/.cache"),
    SVC_HOST: "0.0.0.0",
    PORT: String(API_PORT),
    SVC_WEB_PORT: String(API_PORT),
    SVC_BASE_URL: `http://${addresses.service}:${API_PORT}`,
    SVC_INIT_ADMIN: "admin@acme.test:correct horse battery",
    SVC_RATE_LIMIT_PER_MINUTE: "100000",
    SVC_CALLS_AT_ONCE: "6",
    ...WORLDS[number]!.settings,
  });
  closing.push(service.close);
  const counters: PacketCounter[] = await Promise.all([
    countPackets(gateway, linkOfWorld(addresses)),
    countPackets(service, "lo"),
  ]);
  closing.push(...counters.map(({ close }) => close));
  const canaries = startIn(service, "canaries.ts");
  closing.push(() => end(canaries));
  const ports = Array.from({ length: ATTACK_PORTS }, (_, at) => addresses.firstPort + at);
  await tell(canaries, { open: [80, 443, 8080, ...ports], word });

  function memory(): Memory {
    const [own = 0, ...ofCalls] = service.processes().map((pid) => {
      try {
        return Math.round(memoryOf(pid));
      } catch {
        return 0;
      }
    });
    return { service: own, calls: Math.max(0, ...ofCalls) };
  }

  return {
    number,
    service,
    memory,
    plant: (packet) => tell(canaries, { plant: packet }),

    async packets() {
      const [outside, inside] = await Promise.all(counters.map((counter) => counter.read()));
      const { gateway: way, gateway6 } = addresses;
      const isNames = ({ to, port }: Packets) => port === 53 && (to === way || to === gateway6);
      return [
        ...outside!.filter((packets) => !isNames(packets)).map((packets) => ({ ...packets, onLoopback: false })),
        // The service's own sockets send packets to each other over loopback, at ports that the system chose.
        ...inside!.filter(({ port }) => port < FIRST_OWN_PORT).map((packets) => ({ ...packets, onLoopback: true })),
      ];
    },

    watchMemory() {
      const before = memory();
      const most = { ...before };
      const timer = setInterval(() => {
        const { service: own, calls } = memory();
        most.service = Math.max(most.service, own);
        most.calls = Math.max(most.calls, calls);
      }, WATCH_EVERY_MS);
      return {
        before,
        most() {
          clearInterval(timer);
          return most;
        },
      };
    },
  };
}

/** Sends a message to the program outside, and resolves with its answer. */
export type Ask = <T = void>(message: Questions) => Promise<T>;
type Questions = ToGateway extends infer Message ? (Message extends unknown ? Omit<Message, "id"> : never) : never;

/** Starts the program outside in the gateway's namespace. */
export async function startGateway(gateway: Namespace, closing: Closing): Promise<Ask> {
  const child = startIn(gateway, "gateway.ts");
  closing.push(() => end(child));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the gateway's program ended with ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child, "message"), ended]);
  let id = 0;
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  child.on("message", ({ id: of, answer, error }: { id: number; answer?: unknown; error?: string }) => {
    const asked = waiting.get(of);
    waiting.delete(of);
    if (error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(error));
  });
  ended.catch((error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  return (message) =>
    new Promise((resolve, reject) => {
      waiting.set(++id, { resolve: resolve as (answer: unknown) => void, reject });
      child.send({ ...message, id });
    });
}

/** Starts a program of this folder in a namespace, with a channel; it ends with the channel. */
function startIn(namespace: Namespace, file: string): ChildProcess {
  const [execPath, execArgv] = namespace.command(process.execPath, "--conditions=svc-source");
  return fork(join(import.meta.dirname, file), [], {
    execPath,
    execArgv,
    cwd: ROOT,
    // In production mode, the package for rooms writes less to standard output.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  if (child.connected) child.disconnect();
  await exited;
}

async function tell(canaries: ChildProcess, message: ToCanaries): Promise<void> {
  const done = once(canaries, "message");
  canaries.send(message);
  await done;
}
