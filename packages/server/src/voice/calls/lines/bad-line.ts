import type { LineCondition } from "@svc/contract";
import { FRAME_SAMPLES, sampleOf } from "../../audio/audio.ts";
import { createBandLimit } from "../../audio/band-limit.ts";
import type { LineFacts, MediaLine } from "../call.ts";
import { CONDITIONS } from "./conditions.ts";
import { createPacketNetwork } from "./packet-network.ts";

const NO_SIGNALLING: Omit<LineFacts, "condition"> = {
  steps: [],
  codec: null,
  received: null,
  sent: null,
  roundTripMs: null,
  estimatedMos: null,
};

/**
 * Gives a line a bad condition: the sound of both directions passes through a network that loses and delays packets, and through a band
 * limit. The same seed gives the same packets.
 */
export function createBadLine(line: MediaLine, name: LineCondition, seed: string): MediaLine {
  if (name === "good") return line;
  const condition = CONDITIONS[name];
  const toAgent = createPacketNetwork<string>(condition, `${seed} ${name} to the agent`);
  const fromAgent = createPacketNetwork<never>(condition, `${seed} ${name} from the agent`);
  const whole = (frame: Int16Array) => frame;
  const limitSent = condition.band ? createBandLimit(condition.band) : whole;
  const limitHeard = condition.band ? createBandLimit(condition.band) : whole;
  let heard: Int16Array = new Int16Array(FRAME_SAMPLES);
  let key: string | null = null;

  const withEcho = (frame: Int16Array) =>
    condition.echo === 0 ? frame : frame.map((sample, at) => sampleOf(sample + condition.echo * heard[at]!));

  return {
    connect: line.connect,
    send(frame) {
      const out = toAgent.next(limitSent(withEcho(frame)), key);
      key = null;
      if (out.item !== null) line.press?.(out.item);
      line.send(out.frame);
    },
    ...(line.press && { press: (pressed: string) => void (key = pressed) }),
    hear: () => (heard = limitHeard(fromAgent.next(line.hear(), null).frame)),
    close: line.close,
    facts: () => ({
      ...(line.facts?.() ?? NO_SIGNALLING),
      condition: { name, toAgent: toAgent.counts(), fromAgent: fromAgent.counts() },
    }),
  };
}
