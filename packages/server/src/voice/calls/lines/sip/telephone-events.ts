/** The keys of a telephone in the order of their event codes (RFC 4733, section 3.2). */
const KEYS = "0123456789*#ABCD";
const END = 0x80;
/** Power of the tone in dBm0, without its sign. */
const VOLUME = 10;
/** The last packet of an event is sent three times, because its loss would leave the key pressed. */
const END_PACKETS = 3;
const EVENT_TICKS = 8 * 160;
/** Number of recent events that are remembered, so that late and repeated packets of an event count once. */
const RECENT_MAX = 32;

type SentEvent = { payload: Buffer; isMarked: boolean; timestamp: number };

/** Creates the sender of the keys that the caller presses. */
export function createEventSender() {
  const waiting: number[] = [];
  let current: { code: number; timestamp: number; duration: number } | undefined;
  return {
    press: (key: string) => void waiting.push(KEYS.indexOf(key)),

    /** Returns the packets that replace the sound of one packet; empty when no key is pressed. */
    next(timestamp: number, ticks: number): SentEvent[] {
      if (!current) {
        const code = waiting.shift();
        if (code === undefined) return [];
        current = { code, timestamp, duration: 0 };
      }
      const isMarked = current.duration === 0;
      current.duration += ticks;
      const { code, duration } = current;
      const isEnd = duration >= EVENT_TICKS;
      const payload = Buffer.from([code, (isEnd ? END : 0) | VOLUME, duration >> 8, duration & 0xff]);
      const packets = Array.from({ length: isEnd ? END_PACKETS : 1 }, (_, at) => ({
        payload,
        isMarked: isMarked && at === 0,
        timestamp: current!.timestamp,
      }));
      if (isEnd) current = undefined;
      return packets;
    },
  };
}

/** Creates the receiver of the keys that the other side presses. All packets of an event have the same timestamp. */
export function createEventReceiver() {
  const recent: number[] = [];
  return {
    /** Returns the key when the packet is the first of an event. */
    take(timestamp: number, payload: Uint8Array): string | undefined {
      const key = payload.length >= 4 ? KEYS[payload[0]!] : undefined;
      if (key === undefined || recent.includes(timestamp)) return undefined;
      if (recent.push(timestamp) > RECENT_MAX) recent.shift();
      return key;
    },
    /** Forgets the events of a stream that another stream replaces. */
    restart: () => void (recent.length = 0),
  };
}
