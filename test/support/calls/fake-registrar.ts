import { createSocket } from "node:dgram";
import { once } from "node:events";
import { soundPacket } from "./fake-sip-agent.ts";
import { openDatagrams } from "./signal-channel.ts";

const field = (text: string, name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(text)?.[1]?.trim() ?? "";

type InviteOptions = {
  caller?: string;
  headers?: string[];
  /** Body of the INVITE; a description in PCMU without it. */
  sdp?: string;
  uri?: string;
};

/** A call that an agent places to a service that waits. */
export type PlacedInvite = {
  callId: string;
  sdp: string;
  /** Resolves with the first response of a status. */
  response: (status: number) => Promise<string>;
  responses: () => number[];
  repeat: () => void;
  cancel: () => void;
  ack: (sdp?: string) => Promise<void>;
  bye: () => Promise<void>;
  /** Resolves with a request of the service in the dialog. */
  request: (method: string) => Promise<string>;
  /** Speaks for this many seconds. */
  say: (seconds: number) => Promise<void>;
  heard: Buffer[];
};

export type FakeRegistrar = Awaited<ReturnType<typeof startFakeRegistrar>>;

/** Starts a registrar, which is also the agent that calls the registered service. It reads messages with regular expressions. */
export async function startFakeRegistrar(
  register: (text: string) => [status: number, headers?: string[]] = () => [200],
) {
  const signals = await openDatagrams();
  const sound = createSocket("udp4").bind(0, "127.0.0.1");
  await once(sound, "listening");
  const received: string[] = [];
  const watching = new Set<() => void>();
  let calls = 0;
  const heardOf = new Set<Buffer[]>();
  sound.on("message", (packet) => heardOf.forEach((heard) => heard.push(packet)));

  const message = (matches: (text: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const look = () => {
        const found = received.find(matches);
        if (found === undefined) return;
        watching.delete(look);
        resolve(found);
      };
      watching.add(look);
      look();
    });

  function receive(text: string, from: { address: string; port: number }): void {
    if (text.trim() === "") return;
    received.push(text);
    const method = text.split(" ")[0]!;
    const answer = (status: number, headers: string[] = []) => {
      const copied = ["Via", "From", "To", "Call-ID", "CSeq"].map((name) => `${name}: ${field(text, name)}`);
      signals.send(
        `${[`SIP/2.0 ${status} Spec`, ...copied, ...headers, "Content-Length: 0"].join("\r\n")}\r\n\r\n`,
        from,
      );
    };
    if (method === "REGISTER") answer(...register(text));
    if (method === "BYE") answer(200);
    for (const look of watching) look();
  }
  signals.onMessage((text, from) => receive(text, from));

  return {
    received,
    port: signals.port,
    accountOf: (user: string) => `sip:${user}@127.0.0.1:${signals.port}`,
    /** Resolves with the contact that the service registered under an account, once it has. */
    async contactOf(user: string): Promise<string> {
      const text = await message((one) => one.startsWith("REGISTER") && one.includes(`sip:${user}@`));
      return /<(.*)>/.exec(field(text, "Contact"))![1]!;
    },
    message,

    /** Calls a contact. */
    invite(contact: string, { caller = "agent", headers = [], sdp, uri = contact }: InviteOptions = {}): PlacedInvite {
      const number = ++calls;
      const callId = `call-${number}-${signals.port}`;
      const branch = `z9hG4bKcall${number}`;
      const to = { address: "127.0.0.1", port: Number(/:(\d+)/.exec(contact.split("@")[1]!)![1]) };
      const own = `sip:agent@127.0.0.1:${signals.port}`;
      const description =
        sdp ??
        `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${sound.address().port} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n`;
      let sequence = 0;
      const heard: Buffer[] = [];
      heardOf.add(heard);
      const isOfCall = (text: string) => field(text, "Call-ID") === callId;
      const statusOf = (text: string) => Number(/^SIP\/2\.0 (\d+)/.exec(text)?.[1] ?? 0);
      const response = (status: number) =>
        message((text) => isOfCall(text) && statusOf(text) === status && field(text, "CSeq").endsWith("INVITE"));
      const send = (
        method: string,
        sequence: string,
        target: string,
        via: string,
        toHeader: string,
        body = "",
        more: string[] = [],
      ) => {
        const lines = [
          `${method} ${target} SIP/2.0`,
          `Via: SIP/2.0/UDP 127.0.0.1:${signals.port};branch=${via}`,
          "Max-Forwards: 70",
          `From: <sip:${caller}@spec.test>;tag=from-${number}`,
          `To: ${toHeader}`,
          `Call-ID: ${callId}`,
          `CSeq: ${sequence}`,
          `Contact: <${own}>`,
          ...more,
          `Content-Length: ${body.length}`,
        ];
        signals.send(`${lines.join("\r\n")}\r\n\r\n${body}`, to);
      };
      const invite = () => send("INVITE", "1 INVITE", uri, branch, `<${uri}>`, description, headers);
      const inDialog = async (method: string, sequence: number, body = "") =>
        send(method, `${sequence} ${method}`, contact, `${branch}${method}`, field(await response(200), "To"), body);
      invite();
      return {
        callId,
        sdp: description,
        response,
        responses: () =>
          received
            .filter(isOfCall)
            .map(statusOf)
            .filter((status) => status > 0),
        repeat: invite,
        cancel: () => send("CANCEL", "1 CANCEL", uri, branch, `<${uri}>`),
        ack: (body) => inDialog("ACK", 1, body),
        bye: () => inDialog("BYE", 2),
        request: (method) => message((text) => isOfCall(text) && text.startsWith(`${method} `)),
        heard,
        async say(seconds) {
          const answer = await response(200);
          const port = Number(/m=audio (\d+)/.exec(answer)![1]);
          const startedMs = performance.now();
          for (let at = 0; at < seconds * 50; at++) {
            sound.send(soundPacket(sequence++, number), port, "127.0.0.1");
            const waitMs = startedMs + (at + 1) * 20 - performance.now();
            if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
          }
        },
      };
    },

    stop(): void {
      signals.close();
      sound.close();
    },
  };
}
