import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { promisify } from "node:util";
import { childrenOf } from "../../calls/processes.ts";
import { until } from "../../until.ts";
import { FIRST_OWN_PORT, LAST_OWN_PORT, OTHER_PUBLIC, PUBLIC, type WorldAddresses } from "./addresses.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../../..");
const PACKETS = join(import.meta.dirname, "packets.py");

/** Returns why this machine cannot have the namespaces; undefined when it can. */
export function missingForNamespaces(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "network namespaces need root on Linux";
  const missing = ["ip", "unshare", "nsenter", "python3", "mount"].filter(
    (program) => spawnSync("which", [program]).status !== 0,
  );
  if (missing.length > 0) return `this machine lacks ${missing.join(", ")}`;
  const { status, stderr } = spawnSync("unshare", ["--net", "--mount", "ip", "link", "set", "lo", "up"]);
  return status === 0 ? undefined : `this machine makes no network namespace (${String(stderr).trim()})`;
}

/** A network namespace. It exists while its first process runs, and this process ends when its standard input closes. */
export type Namespace = {
  pid: number;
  /** Runs a shell script in the namespace. */
  sh: (script: string) => Promise<void>;
  /** Returns the command line that runs a program in the namespace. */
  command: (program: string, ...args: string[]) => [string, string[]];
  close: () => Promise<void>;
};

async function namespaceOf(child: ChildProcess): Promise<Namespace> {
  await once(child, "spawn");
  const own = await linkOf(process.pid);
  await until("the network namespace", async () => (await linkOf(child.pid!)) !== own);
  const command = (program: string, ...args: string[]): [string, string[]] => [
    "nsenter",
    ["-t", String(child.pid), "-n", program, ...args],
  ];
  return {
    pid: child.pid!,
    command,
    sh: async (script) => void (await run(...command("sh", "-ec", script))),
    async close() {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.stdin!.end();
      await exited;
    },
  };
}

const linkOf = async (pid: number) => (await run("readlink", [`/proc/${pid}/ns/net`])).stdout;

/** Opens the namespace that has all addresses of all worlds except the addresses of the services. */
export async function openGateway(): Promise<Namespace> {
  const gateway = await namespaceOf(spawn("unshare", ["--net", "cat"], { stdio: ["pipe", "ignore", "inherit"] }));
  // The main routing table contains these routes, so that the more specific route back to a service takes precedence.
  await gateway.sh(`
    ip link set lo up
    ip route add local default dev lo table main
    ip -6 route add local default dev lo table main
    ip address add ${PUBLIC}/32 dev lo
    ip address add ${OTHER_PUBLIC}/32 dev lo`);
  return gateway;
}

/** A service in a separate namespace, whose only way out is the gateway. */
export type IsolatedService = Namespace & {
  /** Everything that the service has printed. */
  printed: () => string;
  hasExited: () => boolean;
  /** Returns the ids of the service's processes. */
  processes: () => number[];
};

/** Starts the service with the settings as its environment. Its processes end with this process. */
export async function startIsolatedService(
  gateway: Namespace,
  addresses: WorldAddresses,
  folder: string,
  settings: Record<string, string>,
): Promise<IsolatedService> {
  mkdirSync(folder, { recursive: true });
  const names = join(folder, "resolv.conf");
  writeFileSync(names, `nameserver ${addresses.gateway}\noptions timeout:2 attempts:2\n`);
  // The shell is the first process of the process namespace, so that all other processes end with it.
  const script = `
    mount --bind "${names}" /etc/resolv.conf
    read begin
    "$@" </dev/null &
    while read more; do :; done
    kill -TERM $! && wait $! || true`;
  const isolation = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const program = [process.execPath, join(ROOT, "packages/cli/bin/svc.js"), "serve"];
  const child = spawn("unshare", [...isolation, "sh", "-ec", script, "sh", ...program], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: folder, ...settings },
  });
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const service = await namespaceOf(child);
  const { service: own, gateway: way, service6, gateway6 } = addresses;
  const link = `world${own.split(".")[2]}`;
  await run("ip", [
    ..."link add out netns".split(" "),
    String(service.pid),
    ..."type veth peer name".split(" "),
    link,
    "netns",
    String(gateway.pid),
  ]);
  await gateway.sh(`
    ip address add ${way}/30 dev ${link}
    ip -6 address add ${gateway6}/64 dev ${link} nodad
    ip link set ${link} up`);
  await service.sh(`
    echo ${FIRST_OWN_PORT} ${LAST_OWN_PORT} > /proc/sys/net/ipv4/ip_local_port_range
    ip link set lo up
    ip address add ${own}/30 dev out
    ip -6 address add ${service6}/64 dev out nodad
    ip link set out up
    ip route add default via ${way}
    ip -6 route add default via ${gateway6}`);
  child.stdin.write("begin\n");
  const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)];
  return {
    ...service,
    printed: () => printed,
    hasExited: () => child.exitCode !== null,
    processes: () => childrenOf(service.pid).flatMap(childrenOf).flatMap(below),
  };
}

/** Packets of one kind that arrived at an interface. */
export type Packets = {
  protocol: string;
  to: string;
  port: number;
  packets: number;
  /** The number of STUN requests and answers among them. */
  stun: number;
  from: string;
  firstMs: number;
};

/** A count of the packets that arrive at an interface of a namespace. */
export type PacketCounter = { read: () => Promise<Packets[]>; close: () => Promise<void> };

export async function countPackets(namespace: Namespace, device: string): Promise<PacketCounter> {
  const counter = spawn(...namespace.command("python3", PACKETS, device), { stdio: ["pipe", "pipe", "inherit"] });
  const lines: Interface = createInterface({ input: counter.stdout });
  await once(lines, "line");
  return {
    async read() {
      const answered = once(lines, "line");
      counter.stdin.write("\n");
      const { packets, lost } = JSON.parse(((await answered) as [string])[0]) as { packets: Packets[]; lost: number };
      if (lost > 0) throw new Error(`the counter of packets has lost ${lost} packets`);
      return packets;
    },
    async close() {
      const exited = once(counter, "exit");
      counter.stdin.end();
      await exited;
    },
  };
}

/** Returns the name of the gateway's interface to a world. */
export const linkOfWorld = ({ service }: WorldAddresses): string => `world${service.split(".")[2]}`;
