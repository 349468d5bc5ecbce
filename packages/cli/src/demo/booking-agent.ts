import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the service sends an agent that speaks its `svc` format. */
type Spoken = {
  simulationId: string;
  event: "start" | "message" | "end";
  message?: string;
  tools: { names: string[]; url: string; token: string };
};
type Reply = { message?: string; ended?: boolean };
type Outcome = { result?: Record<string, unknown>; error?: string };

/** What the agent has understood of a call so far. */
type Call = { wants: "room" | "cancel" | undefined; nights?: number; day?: string; name?: string };

const COUNTS = ["one", "two", "three", "four", "five", "six", "seven"];
const LARGEST_BODY_BYTES = 64 * 1024;

/**
 * A sample agent: takes bookings for a hotel, over HTTP in the `svc` format, by rules instead of a model. It has one
 * deliberate defect: it never looks whether its booking system took the booking.
 */
export async function startBookingAgent(): Promise<{ url: string; stop: () => void }> {
  const calls = new Map<string, Call>();
  const server = createServer((request, response) => {
    bodyOf(request)
      .then((body) => answer(calls, JSON.parse(body) as Spoken))
      .then((reply) => response.setHeader("content-type", "application/json").end(JSON.stringify(reply)))
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/chat`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(calls: Map<string, Call>, spoken: Spoken): Promise<Reply> {
  const { simulationId, event, message = "" } = spoken;
  if (event === "end") {
    calls.delete(simulationId);
    return {};
  }
  if (event === "start") {
    calls.set(simulationId, { wants: undefined });
    return { message: "Grand Hotel, reservations. How can I help you?" };
  }
  const call = calls.get(simulationId) ?? { wants: undefined };
  calls.set(simulationId, call);
  understand(call, message);
  if (/breakfast/i.test(message)) return { message: "Breakfast is from 7 to 10, and it is included. Anything else?" };
  if (call.wants === "cancel") return cancel(call, spoken);
  if (call.wants === "room") return book(call, spoken);
  if (/\b(?:bye|no,? thank|that's all|that is all)/i.test(message))
    return { message: "Thank you for calling the Grand Hotel. Goodbye!", ended: true };
  return { message: "I can book or cancel a room for you. What would you like?" };
}

function understand(call: Call, message: string): void {
  if (/\bcancel/i.test(message)) call.wants = "cancel";
  else if (/\b(?:book|room|stay)\b/i.test(message)) call.wants = "room";
  const count = /\b(\d|one|two|three|four|five|six|seven) nights?\b/i.exec(message)?.[1]?.toLowerCase();
  if (count !== undefined) call.nights = COUNTS.includes(count) ? COUNTS.indexOf(count) + 1 : Number(count);
  const day = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i.exec(message)?.[0];
  if (day !== undefined) call.day = day;
  const name = /\b(?:[Nn]ame is|[Tt]his is|I am|I'm) ([A-Z]\w+(?: [A-Z]\w+)?)/.exec(message)?.[1];
  if (name !== undefined) call.name = name;
}

async function book(call: Call, spoken: Spoken): Promise<Reply> {
  const { nights, day, name } = call;
  if (day === undefined) return { message: "Gladly. Which day would you arrive?" };
  if (nights === undefined) return { message: "And for how many nights?" };
  if (name === undefined) return { message: "What name shall I put it under?" };
  call.wants = undefined;
  const { result: found } = await useTool(spoken, "check_availability", { day, nights });
  if (found?.free === false) return { message: `I am sorry, we have no room free on ${day}. Anything else?` };
  // The defect: whether the tool failed is not looked at.
  const { result: booked } = await useTool(spoken, "book_room", { name, day, nights });
  const code = typeof booked?.code === "string" ? ` Your confirmation code is ${booked.code}.` : "";
  const stay = `${COUNTS[nights - 1] ?? nights} ${nights === 1 ? "night" : "nights"} from ${day}`;
  return { message: `You are booked, ${name}: ${stay}.${code} Anything else?` };
}

async function cancel(call: Call, spoken: Spoken): Promise<Reply> {
  const code = /\b(?=[A-Z-]*\d)[A-Z][A-Z0-9-]{3,}\b/.exec(spoken.message ?? "")?.[0];
  if (code === undefined) return { message: "What is the confirmation code of your booking?" };
  call.wants = undefined;
  const { error } = await useTool(spoken, "cancel_booking", { code });
  if (error !== undefined) return { message: `I am sorry, I could not cancel ${code}. Anything else?` };
  return { message: `I have canceled your booking ${code}. Anything else?` };
}

async function useTool({ tools }: Spoken, name: string, args: Record<string, unknown>): Promise<Outcome> {
  const response = await fetch(`${tools.url}${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tools.token}`, "content-type": "application/json" },
    body: JSON.stringify({ arguments: args }),
  });
  return (await response.json()) as Outcome;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LARGEST_BODY_BYTES) throw new Error("too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
