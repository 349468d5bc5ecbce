import { createHash } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { syllablesOf } from "./fake-voice-agent.ts";
import { openDatagrams, type SignalChannel } from "./signal-channel.ts";

/** A SIP message, which the fake agent reads with regular expressions and not with the service's parser. */
export type SipText = { text: string; method: string; from: { port: number; address: string } };

/** A call that the fake agent receives. */
export type FakeSipCall = {
  invite: SipText;
  /** Sends a response to the INVITE. */
  respond: (status: number, headers?: string[], sdp?: string) => void;
  /** Accepts the call: sends a 200 with the address for the sound. */
  accept: (headers?: string[], change?: (sdp: string) => string) => void;
  /** Resolves when the caller's ACK has arrived. From then on the agent counts each packet of the caller's sound. */
  confirmed: () => Promise<SipText>;
  /** Sends a request in the dialog. */
  request: (method: string, sdp?: string) => void;
  /** Speaks for this many seconds. `fate` returns for each packet whether it is lost, or by how many packets it is late. */
  say: (seconds: number, fate?: (at: number) => "lost" | number) => Promise<void>;
  /** Sends silence for this many seconds. */
  keepSilent: (seconds: number) => Promise<void>;
  /** Sends these payloads, and then silence of PCMU, for this many seconds. */
  play: (payloads: readonly Uint8Array[], seconds: number, type?: number) => Promise<void>;
  /** Presses a key: sends the packets of an event of RFC 4733, with a payload type. */
  press: (key: string, type: number) => Promise<void>;
  /** Sends an RTCP receiver report about the caller's sound. */
  report: (lost: number, jitterTicks: number) => void;
  /** Sends one datagram to the caller's port for sound. */
  sendSound: (packet: Buffer, socket?: Socket) => void;
  /** The payload of each RTP packet from the caller. */
  heard: Buffer[];
  /** Each RTP packet from the caller. */
  packets: Buffer[];
  /** The last RTP packet from the caller. */
  lastPacket: Buffer | undefined;
  /** The RTCP packets from the caller. */
  reports: Buffer[];
  /** Runs when an RTP packet of the caller has arrived. */
  onSound?: (packet: Buffer) => void;
};

export type FakeSipAgent = Awaited<ReturnType<typeof startFakeSipAgent>>;

/** The behavior of an agent that rings, accepts the call and speaks. */
export const speaks = (call: FakeSipCall) => {
  call.respond(180);
  call.accept();
  void call.say(0.6);
};

const header = (text: string, name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(text)?.[1]?.trim() ?? "";
const TAG = "agent-tag";

/** Binds sockets for RTP and RTCP to an even port and the next one. */
async function soundSockets(): Promise<[Socket, Socket]> {
  for (;;) {
    const sound = createSocket("udp4").bind(0, "127.0.0.1");
    await once(sound, "listening");
    const { port } = sound.address();
    const control = createSocket("udp4");
    if (port % 2 === 0) {
      control.bind(port + 1, "127.0.0.1");
      const isBound = await once(control, "listening").then(
        () => true,
        () => false,
      );
      if (isBound) return [sound, control];
    }
    sound.close();
    control.close();
  }
}

/** Returns the status and the headers with which the agent answers a registration. */
type Register = (text: string) => [status: number, headers?: string[]];

/**
 * Starts an agent that is called by SIP, over UDP unless another channel is given. The user in the called URI chooses the agent's behavior, which starts at the
 * INVITE.
 */
export async function startFakeSipAgent(
  behaviors: Record<string, (call: FakeSipCall, attempt: number) => void>,
  register: Register = () => [200],
  channel?: SignalChannel,
) {
  const signals = channel ?? (await openDatagrams());
  const [sound, control] = await soundSockets();
  const { port } = signals;
  const received: SipText[] = [];
  const watching = new Set<() => void>();
  const attempts = new Map<string, number>();
  let current: FakeSipCall | undefined;
  let isStopped = false;

  sound.on("message", (packet) => {
    if (!current) return;
    current.heard.push(packet.subarray(12));
    current.packets.push(packet);
    current.lastPacket = packet;
    current.onSound?.(packet);
  });
  control.on("message", (datagram) => current?.reports.push(datagram));
  signals.onMessage((text, from) => {
    const said = { text, method: text.split(" ")[0]!, from };
    received.push(said);
    if (said.method === "BYE" || said.method === "CANCEL") respondTo(said, 200);
    if (said.method === "REGISTER") respondTo(said, ...register(text));
    if (said.method === "INVITE") {
      const user = /sip:([^@]*)@/.exec(text)![1]!;
      const attempt = attempts.get(user) ?? 0;
      attempts.set(user, attempt + 1);
      current = callOf(said);
      behaviors[user]?.(current, attempt);
    }
    for (const look of watching) look();
  });

  /** Resolves with the first message that matches, which may have arrived before. */
  const message = (matches: RegExp): Promise<SipText> =>
    new Promise((resolve) => {
      const look = () => {
        const found = received.find(({ text }) => matches.test(text));
        if (!found) return;
        watching.delete(look);
        resolve(found);
      };
      watching.add(look);
      look();
    });

  const { send } = signals;

  function respondTo({ text, from }: SipText, status: number, headers: string[] = [], sdp = ""): void {
    const to = header(text, "To");
    const lines = [
      `SIP/2.0 ${status} Spec`,
      `Via: ${header(text, "Via")}`,
      `From: ${header(text, "From")}`,
      `To: ${to.includes("tag=") ? to : `${to};tag=${TAG}`}`,
      `Call-ID: ${header(text, "Call-ID")}`,
      `CSeq: ${header(text, "CSeq")}`,
      ...headers,
      ...(sdp === "" ? [] : ["Content-Type: application/sdp"]),
      `Content-Length: ${sdp.length}`,
    ];
    send(`${lines.join("\r\n")}\r\n\r\n${sdp}`, from);
  }

  const sdpOf = () =>
    `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${sound.address().port} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n`;

  function callOf(invite: SipText): FakeSipCall {
    const callersPort = Number(/m=audio (\d+)/.exec(invite.text)![1]);
    const sendSound = (packet: Buffer, socket = sound) => {
      if (!isStopped) socket.send(packet, callersPort, "127.0.0.1");
    };
    let sequence = 0;
    async function stream(seconds: number, send: (at: number) => void): Promise<void> {
      const startedMs = performance.now();
      for (let at = 0; at < seconds * 50; at++) {
        send(at);
        const waitMs = startedMs + (at + 1) * 20 - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    const call: FakeSipCall = {
      invite,
      heard: [],
      packets: [],
      lastPacket: undefined,
      reports: [],
      respond: (status, headers, sdp) => respondTo(invite, status, headers, sdp),
      accept: (headers = [`Contact: <sip:agent@127.0.0.1:${port}>`], change = (sdp) => sdp) =>
        respondTo(invite, 200, headers, change(sdpOf())),
      confirmed: () => message(new RegExp(`^ACK [^]*Call-ID: ${header(invite.text, "Call-ID")}`)),
      request(method, sdp = "") {
        const lines = [
          `${method} ${/<(.*)>/.exec(header(invite.text, "Contact"))![1]} SIP/2.0`,
          `Via: SIP/2.0/${signals.transport} 127.0.0.1:${port};branch=z9hG4bK${method}${received.length}`,
          `From: ${header(invite.text, "To")};tag=${TAG}`,
          `To: ${header(invite.text, "From")}`,
          `Call-ID: ${header(invite.text, "Call-ID")}`,
          `CSeq: ${received.length + 1} ${method}`,
          `Contact: <sip:agent@127.0.0.1:${port}>`,
          `Content-Length: ${sdp.length}`,
        ];
        send(`${lines.join("\r\n")}\r\n\r\n${sdp}`, invite.from);
      },
      sendSound,
      async say(seconds, fate = () => 0) {
        const held = new Map<number, Buffer>();
        await stream(seconds, (at) => {
          const packet = soundPacket(sequence++, 1);
          const late = fate(at);
          if (late === 0) sendSound(packet);
          else if (late !== "lost") held.set(at + late, packet);
          const due = held.get(at);
          if (due) sendSound(due);
        });
      },
      play: (payloads, seconds, type = 0) =>
        stream(seconds, (at) => {
          const packet = soundPacket(sequence++, 1, 0xff);
          packet[1] = payloads[at] === undefined ? 0 : type;
          packet.set(payloads[at] ?? [], 12);
          sendSound(packet);
        }),
      async press(key, type) {
        const timestamp = sequence * 160;
        // Packets of the end are sent three times, and the sound between two keys lasts 60 ms.
        await stream(0.14, (at) => {
          const isEnd = at >= 4;
          const code = "0123456789*#ABCD".indexOf(key);
          const packet = soundPacket(sequence++, 1).subarray(0, 16);
          packet[1] = type | (at === 0 ? 0x80 : 0);
          packet.writeUInt32BE(timestamp, 4);
          packet.set([code, isEnd ? 0x8a : 0x0a, 0, 0], 12);
          packet.writeUInt16BE(160 * Math.min(at + 1, 5), 14);
          sendSound(packet);
        });
        await stream(0.06, () => sendSound(soundPacket(sequence++, 1, 0xff)));
      },
      keepSilent: (seconds) => stream(seconds, () => sendSound(soundPacket(sequence++, 1, 0xff))),
      report(lost, jitterTicks) {
        const report = Buffer.alloc(32);
        report.writeUInt32BE(0x81_c9_00_07, 0);
        report.writeUInt32BE(1, 4);
        call.lastPacket!.copy(report, 8, 8, 12);
        report.writeUIntBE(lost, 13, 3);
        report.writeUInt32BE(jitterTicks, 20);
        if (!isStopped) control.send(report, callersPort + 1, "127.0.0.1");
      },
    };
    return call;
  }

  return {
    port,
    received,
    urlOf: (user: string) => `sip:${user}@127.0.0.1:${port}`,
    message,
    stop(): void {
      isStopped = true;
      signals.close();
      sound.close();
      control.close();
    },
  };
}

const SPEECH = Buffer.from(syllablesOf(2), "base64");

/** Returns an RTP packet with 20 ms of syllables, or with 20 ms of one μ-law value. */
export function soundPacket(sequence: number, source: number, code?: number): Buffer {
  const packet = Buffer.alloc(172);
  packet[0] = 0x80;
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(sequence * 160, 4);
  packet.writeUInt32BE(source, 8);
  const at = (sequence * 160) % SPEECH.length;
  if (code === undefined) packet.set(SPEECH.subarray(at, at + 160), 12);
  else packet.fill(code, 12);
  return packet;
}

/** Returns whether a request answers a digest challenge with `qop=auth` correctly. */
export function isRightDigest(text: string, hash: "md5" | "sha256", user: string, password: string, realm: string) {
  const sent = header(text, "(?:Proxy-)?Authorization");
  const part = (name: string) => new RegExp(`[ ,]${name}="?([^",]*)`).exec(sent)?.[1] ?? "";
  const hashed = (value: string) => createHash(hash).update(value).digest("hex");
  const method = text.split(" ")[0]!;
  const expected = hashed(
    `${hashed(`${user}:${realm}:${password}`)}:${part("nonce")}:${part("nc")}:${part("cnonce")}:auth:${hashed(`${method}:${part("uri")}`)}`,
  );
  return part("response") === expected;
}
