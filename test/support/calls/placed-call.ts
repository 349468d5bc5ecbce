import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallEnd, CallEvent, CallOrder, LineOrder } from "../../../packages/server/src/voice/calls/call.ts";
import type { MediaPool } from "../../../packages/server/src/voice/calls/media/pool.ts";
import type { FakeSipAgent } from "./fake-sip-agent.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-calls-"));

/** A call that a spec placed, with its events so far. */
type SpecCall = {
  order: CallOrder;
  events: CallEvent[];
  ended: Promise<CallEnd>;
  /** Resolves with the first event of a kind. */
  event: <Kind extends CallEvent["kind"]>(kind: Kind) => Promise<Extract<CallEvent, { kind: Kind }>>;
  say: (samples: Int16Array) => void;
  press: (keys: string) => void;
  hangUp: () => void;
};

type SpecOrder = Partial<Omit<CallOrder, "line">> & { line?: Partial<Extract<LineOrder, { kind: "media_stream" }>> };

/** Places a call to an agent over a media stream. */
export const placeAt = (pool: MediaPool, url: string, { line, ...order }: SpecOrder = {}): SpecCall =>
  placeOn(
    pool,
    {
      kind: "media_stream",
      url,
      headers: {},
      codec: "mulaw_8k",
      privateAddresses: "allow",
      parameters: {},
      ...line,
    },
    order,
  );

export type SipOrder = Extract<LineOrder, { kind: "sip" }>;

/** Returns the order for a SIP call to this user of the fake agent. */
export const sipOrderOf = (agent: FakeSipAgent, user: string, more: Partial<SipOrder> = {}): SipOrder => ({
  kind: "sip",
  uri: agent.urlOf(user),
  transport: "udp",
  outboundProxy: undefined,
  account: undefined,
  caller: undefined,
  maxSeconds: undefined,
  credential: undefined,
  headers: { "X-Svc-Simulation": `sim-${user}` },
  privateAddresses: "allow",
  ...more,
});

export function placeOn(pool: MediaPool, line: LineOrder, order: Omit<SpecOrder, "line"> = {}): SpecCall {
  const callId = randomUUID();
  const placed: CallOrder = {
    callId,
    line,
    turnTaking: { endOfTurnMs: 400, patienceMs: 60_000, interruptAfterMs: [null] },
    surroundings: null,
    condition: "good",
    recordingFile: join(folder, `${callId}.wav`),
    sendsAgentSound: false,
    seed: "spec",
    ...order,
  };
  const events: CallEvent[] = [];
  const waiting = new Map<string, (event: CallEvent) => void>();
  const event: SpecCall["event"] = (kind) =>
    new Promise((resolve) => {
      const past = events.find((one) => one.kind === kind);
      if (past) resolve(past as never);
      else waiting.set(kind, resolve as (event: CallEvent) => void);
    });
  const { say, press, hangUp } = pool.place(placed, (one) => {
    events.push(one);
    waiting.get(one.kind)?.(one);
    waiting.delete(one.kind);
  });
  return { order: placed, events, ended: event("ended"), event, say, press, hangUp };
}
