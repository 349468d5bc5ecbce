// The front desk of a hotel, behind OpenAI's chat API: `npm run example:chat-agent`. It needs no key and no model: it asks for what
// it does not know yet, books the room with a tool, and says goodbye. It has one defect: it asks for a card number before it books.
// With FIXED=1 it does not.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

type Message = { role: "user" | "assistant" | "tool"; content: string | null };
type Answer = { role: "assistant"; content: string | null; tool_calls?: object[] };

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven"];
const DAY = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i;
const NIGHTS = new RegExp(String.raw`\b(\d|${NUMBERS.join("|")})\b`, "i");

/** Returns the answer to a conversation. The agent keeps nothing between requests: everything it knows is in the messages. */
export function answerTo(messages: readonly Message[], isFixed: boolean): Answer {
  if (messages.at(-1)?.role === "tool") return says("You are booked. Is there anything else?");
  const asked = messages.filter(({ role }) => role === "assistant").map(({ content }) => content ?? "");
  const answerAfter = (question: string) => {
    const at = messages.findLastIndex(({ content }) => content === question);
    return at === -1 ? undefined : (messages[at + 1]?.content ?? undefined);
  };
  const questions = {
    date: "Gladly. For which date?",
    nights: "For how many nights?",
    name: "May I have your name?",
    card: "And your card number, please?",
  };
  if (asked.some((content) => content.startsWith("You are booked"))) return says("Goodbye, and see you soon.");
  if (!asked.includes(questions.date)) return says(questions.date);
  if (!asked.includes(questions.nights)) return says(questions.nights);
  if (!asked.includes(questions.name)) return says(questions.name);
  if (!isFixed && !asked.includes(questions.card)) return says(questions.card);
  const nights = NIGHTS.exec(answerAfter(questions.nights) ?? "")?.[1]?.toLowerCase() ?? "1";
  return calls("book_room", {
    date: DAY.exec(answerAfter(questions.date) ?? "")?.[0] ?? answerAfter(questions.date),
    nights: NUMBERS.includes(nights) ? NUMBERS.indexOf(nights) : Number(nights),
    name: answerAfter(questions.name),
  });
}

const says = (content: string): Answer => ({ role: "assistant", content });

const calls = (name: string, args: object): Answer => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }],
});

/** Starts the agent on this machine and returns the address of its chat; port 0 takes a free port. */
export async function startChatAgent({ port, isFixed }: { port: number; isFixed: boolean }) {
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    const messages = await messagesIn(request).catch(() => undefined);
    if (messages === undefined)
      response.writeHead(400).end('{"error": {"message": "Send a chat completion request."}}');
    else response.end(JSON.stringify({ choices: [{ message: answerTo(messages, isFixed) }] }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function messagesIn(request: IncomingMessage): Promise<Message[]> {
  const { messages } = JSON.parse(await text(request)) as { messages: Message[] };
  if (!Array.isArray(messages)) throw new TypeError("no messages");
  return messages;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { PORT = "8080", FIXED } = process.env;
  const { url } = await startChatAgent({ port: Number(PORT), isFixed: FIXED === "1" });
  console.log(`The chat agent answers at ${url}`);
}
