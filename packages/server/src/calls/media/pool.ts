import { type ChildProcess, fork } from "node:child_process";
import { startOf } from "../../assets.ts";
import type { Log } from "../../log.ts";
import type { CallEvent, CallOrder } from "../call.ts";
import type { FromMedia, ToMedia } from "./messages.ts";

/** A call that a media process plays. */
export type PlacedCall = {
  /** Says sound at `CALL_RATE` after the sound that still waits. */
  say: (samples: Int16Array) => void;
  /** Ends the call; its last event follows. */
  hangUp: () => void;
};

/** The media processes. Each plays several calls, and is replaced before its memory grows. */
export type MediaPool = {
  /** Places a call; `onEvent` receives its events, and `ended` exactly once. */
  place: (order: CallOrder, onEvent: (event: CallEvent) => void) => PlacedCall;
  /** The media processes that run now. */
  processIds: () => number[];
  /** Ends all processes; their calls end as our fault. */
  close: () => Promise<void>;
};

export type PoolLimits = { callsAtOnce: number; callsInAll: number; residentBytesMax: number };

export const POOL_LIMITS: PoolLimits = { callsAtOnce: 8, callsInAll: 200, residentBytesMax: 500 * 1024 * 1024 };

type MediaProcess = {
  child: ChildProcess;
  calls: Map<string, (event: CallEvent) => void>;
  callsInAll: number;
  residentBytes: number;
  exited: Promise<void>;
};

/** Starts a media process; the process ends when the service ends. */
function startMediaProcess(): ChildProcess {
  const { file, execArgv, env } = startOf("media-process");
  return fork(file, [], {
    serialization: "advanced",
    execArgv,
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

export function createMediaPool(log: Log, limits: PoolLimits = POOL_LIMITS, start = startMediaProcess): MediaPool {
  const running = new Set<MediaProcess>();
  let isClosed = false;

  const isWornOut = ({ callsInAll, residentBytes }: MediaProcess) =>
    callsInAll >= limits.callsInAll || residentBytes >= limits.residentBytesMax;

  function startProcess(): MediaProcess {
    const child = start();
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const media: MediaProcess = { child, calls: new Map(), callsInAll: 0, residentBytes: 0, exited };
    running.add(media);
    child.on("message", (message: FromMedia) => receive(media, message));
    child.on("error", (error) => log.error({ err: error }, "a media process failed"));
    child.once("exit", (code, signal) => {
      running.delete(media);
      if (media.calls.size > 0 && !isClosed)
        log.error({ code, signal, calls: media.calls.size }, "a media process ended during calls");
      for (const onEvent of media.calls.values()) onEvent(LOST);
      media.calls.clear();
    });
    return media;
  }

  function receive(media: MediaProcess, { callId, event, residentBytes }: FromMedia): void {
    media.residentBytes = residentBytes;
    const onEvent = media.calls.get(callId);
    if (event.kind === "ended") {
      media.calls.delete(callId);
      retireIfIdle(media);
    }
    onEvent?.(event);
  }

  function retireIfIdle(media: MediaProcess): void {
    if (media.calls.size === 0 && isWornOut(media)) media.child.disconnect();
  }

  function freeProcess(): MediaProcess {
    const free = [...running].filter(
      (media) => media.child.connected && media.calls.size < limits.callsAtOnce && !isWornOut(media),
    );
    // The fullest process first, so that others become idle.
    return free.sort((one, other) => other.calls.size - one.calls.size)[0] ?? startProcess();
  }

  return {
    place(order, onEvent) {
      const { callId } = order;
      if (isClosed) {
        queueMicrotask(() => onEvent(LOST));
        return { say: () => {}, hangUp: () => {} };
      }
      const media = freeProcess();
      media.calls.set(callId, onEvent);
      media.callsInAll++;
      const send = (message: ToMedia) => {
        if (media.child.connected && media.calls.has(callId)) media.child.send(message);
      };
      send({ kind: "place", order });
      return {
        say: (samples) => send({ kind: "say", callId, samples }),
        hangUp: () => send({ kind: "hang_up", callId }),
      };
    },
    processIds: () => [...running].flatMap(({ child }) => child.pid ?? []),
    async close() {
      isClosed = true;
      const all = [...running];
      for (const { child } of all) child.kill("SIGKILL");
      await Promise.all(all.map(({ exited }) => exited));
    },
  };
}

const LOST: CallEvent = {
  kind: "ended",
  reason: "simulator_error",
  note: "The media process of the call ended in the middle of it.",
  isOurFault: true,
  summary: null,
  recordingError: null,
};
