import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { createLog } from "../../../base/log/log.ts";
import { openFlite } from "../../../voice/speech/flite/flite.ts";
import { converse } from "./conversation.ts";

/** Greeting of the sample voice agent. One answer for each turn of the caller follows. The agent ends the call after the last answer. */
const GREETING = "Grand Hotel, reservations. How can I help you?";

const ANSWERS = [
  "Gladly. A double room costs ninety euros a night, with breakfast, and parking is free of charge. Which day would you like to arrive?",
  "Thank you, your room is booked. Is there anything else?",
  "Thank you for calling the Grand Hotel. Goodbye!",
] as const;

const VOICE = "rms";
const SPEED = 1.15;

export type VoiceAgentOptions = {
  port?: number;
  /** Whether the agent stops speaking when the caller interrupts it. Default: false, which is its deliberate defect. */
  yields?: boolean;
};

export type VoiceAgent = { url: string; close: () => Promise<void> };

/** Answers calls over the media-stream protocol on this machine, with a built-in voice that needs no API key. */
export async function startVoiceAgent({ port = 0, yields = false }: VoiceAgentOptions = {}): Promise<VoiceAgent> {
  const flite = openFlite(createLog("error"));
  const speak = (text: string) => flite.speak(text, VOICE, SPEED, new AbortController().signal);
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  await once(server, "listening");
  const [greeting, ...answers] = await Promise.all([GREETING, ...ANSWERS].map(speak));
  await flite.close();
  server.on("connection", (socket) => converse(socket, { greeting: greeting!, answers }, yields));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
