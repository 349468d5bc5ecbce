import { FRAME_MS, FRAME_SAMPLES } from "../../audio/audio.ts";
import { seeded } from "../../../base/seeded.ts";
import type { Condition } from "./conditions.ts";

const FRAMES_PER_PACKET = 2;
const PACKET_MS = FRAMES_PER_PACKET * FRAME_MS;
/** The receiver delays packets by this time. A packet that is later is lost for the listener. */
const BUFFER_MS = 60;
const SILENCE = new Int16Array(FRAME_SAMPLES);

export type NetworkCounts = { packets: number; lost: number; late: number };

/** One direction of a network, up to and with the buffer of its receiver. */
export type PacketNetwork<Item> = {
  /** Takes the next frame, and returns the frame that is heard at this time, with the item of the frame. */
  next: (frame: Int16Array, item: Item | null) => { frame: Int16Array; item: Item | null };
  counts: () => NetworkCounts;
};

/**
 * Creates a network whose packets are lost and late by chance. Loss has two states, so that packets are lost in bursts (Gilbert). The same
 * seed loses the same packets. Items are never lost.
 */
export function createPacketNetwork<Item>(
  { loss, burst, delayMs, jitterMs, reordered }: Condition,
  seed: string,
): PacketNetwork<Item> {
  const random = seeded(seed);
  const counts: NetworkCounts = { packets: 0, lost: 0, late: 0 };
  /** Probabilities that the state of loss ends and begins. Their ratio gives the share of lost packets. */
  const endsLoss = 1 / burst;
  const beginsLoss = (endsLoss * loss) / (1 - loss);
  const waiting: { frame: Int16Array; item: Item | null }[] = Array.from(
    { length: Math.round((delayMs + BUFFER_MS + PACKET_MS) / FRAME_MS) },
    () => ({ frame: SILENCE, item: null }),
  );
  let isLosing = false;
  let isHeard = true;
  let frames = 0;

  /** Each packet draws the same number of random values, so that the fate of a packet does not depend on the others. */
  function sendPacket(): boolean {
    const [change, jitter, order] = [random(), random(), random()];
    isLosing = isLosing ? change >= endsLoss : change < beginsLoss;
    counts.packets++;
    if (isLosing) {
      counts.lost++;
      return false;
    }
    const lateMs = -Math.log(1 - jitter) * jitterMs + (order < reordered ? PACKET_MS + jitterMs : 0);
    if (lateMs <= BUFFER_MS) return true;
    counts.late++;
    return false;
  }

  return {
    next(frame, item) {
      if (frames++ % FRAMES_PER_PACKET === 0) isHeard = sendPacket();
      waiting.push({ frame: isHeard ? frame : SILENCE, item });
      return waiting.shift()!;
    },
    counts: () => ({ ...counts }),
  };
}
