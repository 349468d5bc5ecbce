import { Readable } from "node:stream";
import { unavailable } from "../../base/errors.ts";
import type { Feeds, Subscriber } from "./feed.ts";

export type StreamLimits = { atOnce: number; atOnceOfOne: number; heartbeatMs: number };

export const STREAM_LIMITS: StreamLimits = { atOnce: 1_000, atOnceOfOne: 400, heartbeatMs: 15_000 };

/** Largest number of frames that wait for a slow client. When there are more, they are dropped and the client gets `reset`. */
const FRAMES_MAX = 20;

type Subscription = {
  organizationId: string;
  project: { id: string; number: number };
  cursor: string | undefined;
  mayContinue: () => Promise<boolean>;
  signal: AbortSignal;
};

export type ChangeStreams = {
  /** Throws `unavailable` when too many streams are open. */
  open: (subscription: Subscription) => Promise<Readable>;
  /** A stream that is opened later ends immediately. */
  end: () => void;
};

export function createChangeStreams(feeds: Feeds, limits: StreamLimits): ChangeStreams {
  const ending = new AbortController();
  const openOf = new Map<string, number>();
  let open = 0;

  function enter(organizationId: string): () => void {
    const own = openOf.get(organizationId) ?? 0;
    if (open >= limits.atOnce || own >= limits.atOnceOfOne) throw tooMany();
    open++;
    openOf.set(organizationId, own + 1);
    return () => {
      open--;
      const left = openOf.get(organizationId)! - 1;
      if (left === 0) openOf.delete(organizationId);
      else openOf.set(organizationId, left);
    };
  }

  return {
    async open({ organizationId, project, cursor, mayContinue, signal }) {
      const leave = enter(organizationId);
      const stop = AbortSignal.any([signal, ending.signal]);
      const queue = createQueue();
      try {
        const unsubscribe = await feeds.subscribe(project, cursor, queue.add);
        const close = () => {
          unsubscribe();
          leave();
          queue.wake();
        };
        if (stop.aborted) close();
        else stop.addEventListener("abort", close, { once: true });
        return Readable.from(framesOf(queue, stop, limits.heartbeatMs, mayContinue), { objectMode: false });
      } catch (error) {
        leave();
        throw error;
      }
    },
    end: () => ending.abort(),
  };
}

type Queue = {
  add: Subscriber;
  take: () => Buffer[];
  /** Resolves when a frame is added, when `wake` is called, or after `ms`. */
  wait: (ms: number) => Promise<void>;
  wake: () => void;
};

function createQueue(): Queue {
  let frames: Buffer[] = [];
  let wake = () => {};
  return {
    add(frame, kind) {
      if (frames.length >= FRAMES_MAX || (kind === "reset" && frames.length > 0)) frames = [RESET];
      else frames.push(frame);
      wake();
    },
    take() {
      const taken = frames;
      frames = [];
      return taken;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (frames.length > 0) wake();
      }),
    wake: () => wake(),
  };
}

/** The event has no id. A client that reconnects after it sends the id of the event before it, and gets the changes that it missed. */
const RESET = Buffer.from('event: reset\ndata: {"kind":"reset","cursor":""}\n\n');
const HEARTBEAT = Buffer.from(": waiting\n\n");

/** Yields frames until `stop` aborts or the credential loses its access. Sends comments so that an idle connection stays open. */
async function* framesOf(
  queue: Queue,
  stop: AbortSignal,
  heartbeatMs: number,
  mayContinue: () => Promise<boolean>,
): AsyncGenerator<Buffer> {
  while (!stop.aborted && (await mayContinue())) {
    const frames = queue.take();
    yield frames.length === 0 ? HEARTBEAT : Buffer.concat(frames);
    await queue.wait(heartbeatMs);
  }
}

const tooMany = () => unavailable("Too many streams of changes are open. Close some, or ask for the lists again.", 10);
