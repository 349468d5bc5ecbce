import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request of the service in its `svc` format. */
type ChatRequest = {
  simulationId: string;
  event: "start" | "message" | "end";
  message?: string;
  tools: { names: string[]; url: string; token: string };
};
type Reply = { message?: string; ended?: boolean };
type ToolResult = { result?: Record<string, unknown>; error?: string };

/** The wishes that the agent has understood so far. */
type Booking = { wants: "room" | "cancel" | undefined; nights?: number; day?: string; name?: string };

const COUNTS = ["one", "two", "three", "four", "five", "six", "seven"];
const LARGEST_BODY_BYTES = 64 * 1024;

/**
 * Starts a sample agent that books hotel rooms by rules, over HTTP in the `svc` format. It has one deliberate defect: it
 * never checks whether its booking system accepted the booking.
 */
export async function startBookingAgent(): Promise<{ url: string; stop: () => void }> {
  const bookings = new Map<string, Booking>();
  const server = createServer((request, response) => {
    bodyOf(request)
      .then((body) => answer(bookings, JSON.parse(body) as ChatRequest))
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

async function answer(bookings: Map<string, Booking>, request: ChatRequest): Promise<Reply> {
  const { simulationId, event, message = "" } = request;
  if (event === "end") {
    bookings.delete(simulationId);
    return {};
  }
  if (event === "start") {
    bookings.set(simulationId, { wants: undefined });
    return { message: "Grand Hotel, reservations. How can I help you?" };
  }
  const booking = bookings.get(simulationId) ?? { wants: undefined };
  bookings.set(simulationId, booking);
  understand(booking, message);
  if (/breakfast/i.test(message)) return { message: "Breakfast is from 7 to 10, and it is included. Anything else?" };
  if (booking.wants === "cancel") return cancel(booking, request);
  if (booking.wants === "room") return book(booking, request);
  if (/\b(?:bye|no,? thank|that's all|that is all)/i.test(message))
    return { message: "Thank you for calling the Grand Hotel. Goodbye!", ended: true };
  return { message: "I can book or cancel a room for you. What would you like?" };
}

function understand(booking: Booking, message: string): void {
  if (/\bcancel/i.test(message)) booking.wants = "cancel";
  else if (/\b(?:book|room|stay)\b/i.test(message)) booking.wants = "room";
  const count = /\b(\d|one|two|three|four|five|six|seven) nights?\b/i.exec(message)?.[1]?.toLowerCase();
  if (count !== undefined) booking.nights = COUNTS.includes(count) ? COUNTS.indexOf(count) + 1 : Number(count);
  const day = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i.exec(message)?.[0];
  if (day !== undefined) booking.day = day;
  const name = /\b(?:[Nn]ame is|[Tt]his is|I am|I'm) ([A-Z]\w+(?: [A-Z]\w+)?)/.exec(message)?.[1];
  if (name !== undefined) booking.name = name;
}

async function book(booking: Booking, request: ChatRequest): Promise<Reply> {
  const { nights, day, name } = booking;
  if (day === undefined) return { message: "Gladly. Which day would you arrive?" };
  if (nights === undefined) return { message: "And for how many nights?" };
  if (name === undefined) return { message: "What name shall I put it under?" };
  booking.wants = undefined;
  const { result: availability } = await useTool(request, "check_availability", { day, nights });
  if (availability?.free === false) return { message: `I am sorry, we have no room free on ${day}. Anything else?` };
  // The defect: the agent ignores an error of the tool.
  const { result: confirmation } = await useTool(request, "book_room", { name, day, nights });
  const code = typeof confirmation?.code === "string" ? ` Your confirmation code is ${confirmation.code}.` : "";
  const stay = `${COUNTS[nights - 1] ?? nights} ${nights === 1 ? "night" : "nights"} from ${day}`;
  return { message: `You are booked, ${name}: ${stay}.${code} Anything else?` };
}

async function cancel(booking: Booking, request: ChatRequest): Promise<Reply> {
  const code = /\b(?=[A-Z-]*\d)[A-Z][A-Z0-9-]{3,}\b/.exec(request.message ?? "")?.[0];
  if (code === undefined) return { message: "What is the confirmation code of your booking?" };
  booking.wants = undefined;
  const { error } = await useTool(request, "cancel_booking", { code });
  if (error !== undefined) return { message: `I am sorry, I could not cancel ${code}. Anything else?` };
  return { message: `I have canceled your booking ${code}. Anything else?` };
}

async function useTool({ tools }: ChatRequest, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const response = await fetch(`${tools.url}${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tools.token}`, "content-type": "application/json" },
    body: JSON.stringify({ arguments: args }),
  });
  return (await response.json()) as ToolResult;
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
