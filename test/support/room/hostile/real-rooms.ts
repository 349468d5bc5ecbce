import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RawData, WebSocket } from "ws";
import "../../child-processes.ts";
import { until } from "../../until.ts";
import { PUBLIC } from "./addresses.ts";
import type { Signalling, Talk } from "./media-server.ts";
import { nameOfSignal, signal } from "./signals.ts";

export const ROOM_KEY = { apiKey: "development-key", apiSecret: "secretsecretsecretsecretsecretsecret" };
const PORT = 6_900;
/** The ports for media, at the attacker's public address. */
export const MEDIA_PORTS = [6_901, 6_902];

/** Changes to the messages between a client and a real room. */
export type Changes = {
  /** Lets a participant with sound join. */
  hasTalker?: boolean;
  /** Members to add to the first message, and to the answer to a second connection. */
  joinToo?: Record<string, unknown>;
  reconnectToo?: Record<string, unknown>;
  /** The proxy calls each function once: when the client has joined, and when the talker has talked for a while. */
  onceJoined?: (client: Signalling) => void;
  onceHeard?: (client: Signalling) => void;
};

/** A real media server that clients reach only through a proxy. */
export type RealRooms = { through: (changes: Changes) => Talk };

/** Starts the program of a media server in this namespace, with its settings in the folder. It ends with this process. */
export async function startRealRooms(program: string, folder: string): Promise<RealRooms> {
  const [udp_port, tcp_port] = MEDIA_PORTS;
  const rtc = {
    udp_port,
    tcp_port,
    use_external_ip: false,
    node_ip: PUBLIC,
    interfaces: { includes: ["lo"] },
    ips: { includes: [`${PUBLIC}/32`] },
    enable_loopback_candidate: true,
  };
  const keys = { [ROOM_KEY.apiKey]: ROOM_KEY.apiSecret };
  const logging = { level: process.env.SPEC_LOG_LEVEL ?? "error" };
  // Every JSON text is also YAML.
  writeFileSync(
    join(folder, "rooms.yaml"),
    JSON.stringify({ port: PORT, bind_addresses: ["127.0.0.1"], rtc, keys, logging }),
  );
  spawn(program, ["--config", join(folder, "rooms.yaml")], { stdio: ["ignore", "ignore", "inherit"] });
  await until("the media server answers", () => fetch(`http://127.0.0.1:${PORT}`).then(({ ok }) => ok));
  return { through };
}

function through({ hasTalker = false, joinToo, reconnectToo, onceJoined, onceHeard }: Changes): Talk {
  let isOver = false;
  return async (client) => {
    const { socket, path, token } = client;
    const way = new WebSocket(`ws://127.0.0.1:${PORT}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const waiting: RawData[] = [];
    socket.on("message", (data) => (way.readyState === WebSocket.OPEN ? way.send(data) : waiting.push(data)));
    way.on("open", () => waiting.splice(0).forEach((data) => way.send(data)));
    way.on("error", () => socket.terminate());
    way.on("close", () => socket.close());
    socket.on("close", () => way.close());
    way.on("message", (data: Buffer) => {
      const name = nameOfSignal(data);
      const more = name === "join" ? joinToo : name === "reconnect" ? reconnectToo : undefined;
      // Two protobuf messages of one kind, one after the other, decode as one message with the members of both.
      client.send(more === undefined ? data : Buffer.concat([data, signal({ [name!]: more })]));
      if (name === "join" && !client.isReconnect && !isOver) {
        onceJoined?.(client);
        if (hasTalker)
          void talkTo(token, () => {
            if (isOver) return;
            isOver = true;
            onceHeard?.(client);
          });
      }
    });
  };
}

/** Lets a talker join the room of the token; calls back once it hears the caller or has talked for a while. */
async function talkTo(token: string, heard: () => void): Promise<void> {
  const { video } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as {
    video: { room: string };
  };
  const { joinTalker } = await import("../talker.ts");
  const grants = { room: video.room, roomJoin: true, canPublish: true, canSubscribe: true };
  const talker = await joinTalker(`ws://127.0.0.1:${PORT}`, tokenWith("talker", grants)).catch(() => undefined);
  if (talker === undefined) return;
  await until("the talker has talked", () => talker.sentMs.length >= 6, 30_000).catch(() => undefined);
  heard();
  await until("the end of the room", () => false, 25_000).catch(() => undefined);
  await talker.leave().catch(() => undefined);
}

function tokenWith(identity: string, video: object): string {
  const claims = { iss: ROOM_KEY.apiKey, sub: identity, exp: Math.floor(Date.now() / 1_000) + 600, video };
  const unsigned = [{ alg: "HS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${unsigned}.${createHmac("sha256", ROOM_KEY.apiSecret).update(unsigned).digest("base64url")}`;
}
