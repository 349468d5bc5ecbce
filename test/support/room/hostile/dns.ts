import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** The addresses of a name: one list for each successive look-up. Later look-ups get the last list. */
export type Plan = readonly (readonly string[])[];

export type Names = {
  /** Sets the plan of a name, and starts the plan from its beginning. */
  set: (name: string, plan: Plan) => void;
  /** Returns how often the IPv4 addresses of a name were looked up. */
  lookUps: (name: string) => number;
};

/** Starts a DNS server on port 53. Names without a plan do not exist. Its answers must not be cached. */
export async function startNames(): Promise<Names> {
  const plans = new Map<string, { plan: Plan; asked: Map<number, number> }>();
  const socket = createSocket("udp6").bind(53, "::");
  await once(socket, "listening");
  socket.on("message", (query, { address, port }) => {
    const answer = answerTo(query);
    if (answer !== undefined) socket.send(answer, port, address, () => {});
  });

  function answerTo(query: Buffer): Buffer | undefined {
    if (query.length < 17) return undefined;
    const labels: string[] = [];
    let at = 12;
    while (query[at] !== 0 && query[at] !== undefined) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
      at += query[at]! + 1;
    }
    const question = query.subarray(12, at + 5);
    if (question.length < at - 7) return undefined;
    const found = plans.get(labels.join(".").toLowerCase());
    const records = found === undefined ? [] : recordsOf(found, query.readUInt16BE(at + 1));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    return Buffer.concat([head, question, ...records]);
  }

  return {
    set: (name, plan) => void plans.set(name.toLowerCase(), { plan, asked: new Map() }),
    lookUps: (name) => plans.get(name.toLowerCase())?.asked.get(TYPE_A) ?? 0,
  };
}

function recordsOf({ plan, asked }: { plan: Plan; asked: Map<number, number> }, type: number): Buffer[] {
  if (type !== TYPE_A && type !== TYPE_AAAA) return [];
  const before = asked.get(type) ?? 0;
  asked.set(type, before + 1);
  const addresses = plan[Math.min(before, plan.length - 1)] ?? [];
  return addresses
    .filter((address) => isIPv6(address) === (type === TYPE_AAAA))
    .map((address) => {
      const bytes = type === TYPE_A ? Buffer.from(address.split(".").map(Number)) : bytesOf(address);
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
      return Buffer.concat([record, bytes]);
    });
}

function bytesOf(address: string): Buffer {
  const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(before), groups(after ?? "")];
  const zeros = Array<string>(8 - first.length - last.length).fill("0");
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, "0")).join(""), "hex");
}
