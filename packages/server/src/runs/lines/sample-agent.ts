import type { LineType } from "./line-type.ts";
import type { ToolUse } from "./line.ts";

/** Sample agent of the service. It runs in the service's process and has no address. */
export const sampleAgent: LineType = {
  async createLine({ mockedTools }) {
    const agent = createBookingAgent();
    return {
      open: async () => ({ messages: [agent.greeting], toolUses: [], ended: false, transferred: false }),
      async say(text, signal) {
        const toolUses: ToolUse[] = [];
        const { message, ended = false } = await agent.answer(text, async (name, args) => {
          const use = await mockedTools.use({ id: null, name, arguments: args }, signal);
          toolUses.push(use);
          return use;
        });
        return { messages: [message], toolUses, ended, transferred: false };
      },
      close: async () => {},
    };
  },
  toolsVisible: () => true,
  sendsOwnSpans: false,
  carriesSound: false,
};

type Reply = { message: string; ended?: boolean };
type ToolResult = { result: unknown; error: string | null };

type CallTool = (name: string, args: Record<string, unknown>) => Promise<ToolResult>;

type Booking = { wants: "room" | "cancel" | undefined; nights?: number; day?: string; name?: string };

const COUNTS = ["one", "two", "three", "four", "five", "six", "seven"];

export type BookingAgent = {
  greeting: string;
  answer: (message: string, callTool: CallTool) => Promise<Reply>;
};

/**
 * Returns a conversation with the sample agent, which books hotel rooms and follows fixed rules. The agent has one deliberate
 * defect: it never checks whether its booking system accepted the booking.
 */
export function createBookingAgent(): BookingAgent {
  const booking: Booking = { wants: undefined };
  return {
    greeting: "Grand Hotel, reservations. How can I help you?",

    async answer(message, callTool) {
      understand(booking, message);
      if (/breakfast/i.test(message))
        return { message: "Breakfast is from 7 to 10, and it is included. Anything else?" };
      if (booking.wants === "cancel") return cancel(booking, message, callTool);
      if (booking.wants === "room") return book(booking, callTool);
      if (/\b(?:bye|no,? thank|that's all|that is all)/i.test(message))
        return { message: "Thank you for calling the Grand Hotel. Goodbye!", ended: true };
      return { message: "I can book or cancel a room for you. What would you like?" };
    },
  };
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

async function book(booking: Booking, callTool: CallTool): Promise<Reply> {
  const { nights, day, name } = booking;
  if (day === undefined) return { message: "Gladly. Which day would you arrive?" };
  if (nights === undefined) return { message: "And for how many nights?" };
  if (name === undefined) return { message: "What name shall I put it under?" };
  booking.wants = undefined;
  const availability = await callTool("check_availability", { day, nights });
  if (memberOf(availability, "free") === false)
    return { message: `I am sorry, we have no room free on ${day}. Anything else?` };
  // This is the deliberate defect: the agent ignores an error of the tool.
  const confirmation = memberOf(await callTool("book_room", { name, day, nights }), "code");
  const code = typeof confirmation === "string" ? ` Your confirmation code is ${confirmation}.` : "";
  const stay = `${COUNTS[nights - 1] ?? nights} ${nights === 1 ? "night" : "nights"} from ${day}`;
  return { message: `You are booked, ${name}: ${stay}.${code} Anything else?` };
}

async function cancel(booking: Booking, message: string, callTool: CallTool): Promise<Reply> {
  const code = /\b(?=[A-Z-]*\d)[A-Z][A-Z0-9-]{3,}\b/.exec(message)?.[0];
  if (code === undefined) return { message: "What is the confirmation code of your booking?" };
  booking.wants = undefined;
  const { error } = await callTool("cancel_booking", { code });
  if (error !== null) return { message: `I am sorry, I could not cancel ${code}. Anything else?` };
  return { message: `I have canceled your booking ${code}. Anything else?` };
}

const memberOf = ({ result }: ToolResult, name: string): unknown =>
  (result as Record<string, unknown> | null | undefined)?.[name];
