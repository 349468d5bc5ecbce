import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { createVoiceActivity } from "../../packages/server/src/audio/voice-activity.ts";
import { decodeMulaw, encodeMulaw } from "../../packages/server/src/audio/mulaw.ts";

const RATE = 8_000;
const CHUNK_MS = 20;

/** A telephone call as the agent's side sees it. */
export type AgentCall = {
  /** The values of the stream's start. */
  parameters: Record<string, string>;
  /** Sends a tone of that length at once, as text-to-speech does. */
  speak: (ms: number) => void;
  send: (message: object | string | Buffer) => void;
  /** Drops the sound that the caller has not heard. */
  clear: () => void;
  hangUp: (code?: number) => void;
  /** Breaks the connection without a word. */
  drop: () => void;
};

/** The behavior of an agent in one call. */
export type VoiceAgentScript = {
  onStart?: (call: AgentCall) => void;
  /** Runs when the caller starts to speak. */
  onCallerStarted?: (call: AgentCall) => void;
  /** Runs when the caller has been silent for 300 ms after its words. */
  onCallerStopped?: (call: AgentCall, turn: number) => void;
  onMessage?: (call: AgentCall, message: { event: string; mark?: { name: string } }) => void;
};

export type VoiceAgent = { url: string; calls: number; stop: () => Promise<void> };

/** Returns a tone with a slow tremor, which sounds like no word but is speech for a detector by energy. */
export function toneOf(ms: number, rate = RATE): Int16Array {
  return Int16Array.from({ length: Math.round((ms * rate) / 1_000) }, (_, at) => {
    const seconds = at / rate;
    return 9_000 * Math.sin(2 * Math.PI * 180 * seconds) * (0.7 + 0.3 * Math.sin(2 * Math.PI * 4 * seconds));
  });
}

/** Starts an agent behind a media stream of μ-law at 8 kHz, as telephone providers speak it. */
export async function startVoiceAgent(script: () => VoiceAgentScript): Promise<VoiceAgent> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const agent = { url: `ws://127.0.0.1:${(server.address() as { port: number }).port}/`, calls: 0, stop };
  server.on("connection", (socket) => {
    agent.calls++;
    serve(socket, script());
  });
  return agent;

  async function stop(): Promise<void> {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
}

function serve(socket: WebSocket, script: VoiceAgentScript): void {
  const voice = createVoiceActivity({ rate: RATE, onMs: 60, offMs: 300 });
  let streamSid = "";
  let turn = 0;
  const call: AgentCall = {
    parameters: {},
    speak(ms) {
      const sound = Buffer.from(encodeMulaw(toneOf(ms)));
      const chunk = (RATE / 1_000) * CHUNK_MS;
      for (let at = 0; at < sound.length; at += chunk)
        call.send({ event: "media", streamSid, media: { payload: sound.subarray(at, at + chunk).toString("base64") } });
    },
    send: (message) =>
      socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message)),
    clear: () => call.send({ event: "clear", streamSid }),
    hangUp: (code = 1000) => socket.close(code),
    drop: () => socket.terminate(),
  };
  socket.on("error", () => {});
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      event: string;
      start?: { streamSid: string; customParameters: Record<string, string> };
      media?: { payload: string };
      mark?: { name: string };
    };
    script.onMessage?.(call, message);
    if (message.start) {
      ({ streamSid } = message.start);
      call.parameters = message.start.customParameters;
      script.onStart?.(call);
    }
    if (!message.media) return;
    const edge = voice.push(decodeMulaw(Buffer.from(message.media.payload, "base64")));
    if (edge?.kind === "started") script.onCallerStarted?.(call);
    if (edge?.kind === "stopped") script.onCallerStopped?.(call, ++turn);
  });
}
