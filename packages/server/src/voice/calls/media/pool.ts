import { type ChildProcess, fork } from "node:child_process";
import { startOf } from "../../../assets.ts";
import { ranMsSince } from "../../../base/async/event-loop-stalls.ts";
import { type Counts, createCounts } from "../../../base/counts.ts";
import type { Log } from "../../../base/log/log.ts";
import type { CallEnd, CallEvent, CallOrder } from "../call.ts";
import { ALIVE_EVERY_MS, type FromMedia, type ToMedia } from "./messages.ts";

export type PlacedCall = {
  /** Sends speech at `CALL_RATE` to the agent, after the speech that still waits to be sent. */
  say: (samples: Int16Array) => void;
  /** Presses keys of the telephone, after the speech that still waits to be sent. */
  press: (keys: string) => void;
  /** Ends the call. The event `ended` follows. */
  hangUp: () => void;
};

/** Processes that carry the sound of calls. Each process runs several calls, and is replaced before it uses too much memory. */
export type MediaPool = {
  /** `onEvent` receives the events of the call, with `ended` exactly once. */
  place: (order: CallOrder, onEvent: (event: CallEvent) => void) => PlacedCall;
  underWay: () => { processes: number; calls: number };
  /**
   * `ended`: calls that ended. `gaps`: ended calls whose times are unreliable, because frames were late. `lost`: calls whose process ended
   * before the call.
   */
  counts: Counts<"ended" | "gaps" | "lost">;
  processIds: () => number[];
  /** Ends all processes. The running calls end with `isOurFault`. */
  close: () => Promise<void>;
};

type PoolLimits = {
  callsAtOnce: number;
  /** A process receives no further calls after this number of calls, or when it uses more memory than `residentBytesMax`. */
  callsInAll: number;
  residentBytesMax: number;
  /** A process without calls ends after this time. */
  idleMs: number;
  /** A process that has sent no message for this long is killed. */
  silentMs: number;
};

export const POOL_LIMITS: PoolLimits = {
  callsAtOnce: 8,
  callsInAll: 200,
  residentBytesMax: 500 * 1024 * 1024,
  idleMs: 60_000,
  silentMs: 15_000,
};

type MediaProcess = {
  child: ChildProcess;
  /** Only calls with the same value share a process. */
  sharing: string;
  calls: Map<string, (event: CallEvent) => void>;
  callsInAll: number;
  residentBytes: number;
  /** Times of `performance.now()`. */
  aliveAtMs: number;
  usedAtMs: number;
  /** Null when the process ended without a signal. */
  exited: Promise<NodeJS.Signals | null>;
};

/** Opens the pool. Its first process starts with the first call. */
export function openMediaPool(
  log: Log,
  limits: PoolLimits = POOL_LIMITS,
  start = () => startMediaProcess(),
): MediaPool {
  const running = new Set<MediaProcess>();
  const counts: MediaPool["counts"] = createCounts();
  let isClosed = false;

  const isWornOut = ({ callsInAll, residentBytes }: MediaProcess) =>
    callsInAll >= limits.callsInAll || residentBytes >= limits.residentBytesMax;

  function startProcess(sharing: string): MediaProcess {
    const child = start();
    const exited = new Promise<NodeJS.Signals | null>((resolve) => {
      child.once("exit", (_code, signal) => resolve(signal));
      child.once("error", () => child.pid === undefined && resolve(null));
    });
    const nowMs = performance.now();
    const calls = new Map();
    const media = { child, sharing, calls, callsInAll: 0, residentBytes: 0, aliveAtMs: nowMs, usedAtMs: nowMs, exited };
    running.add(media);
    child.on("message", (message: FromMedia) => receive(media, message));
    child.on("error", (error) => log.error({ err: error }, "a media process failed"));
    child.once("exit", (code, signal) => {
      if (media.calls.size > 0 && !isClosed)
        log.error({ code, signal, calls: media.calls.size }, "a media process ended during calls");
    });
    void loseCalls(media);
    return media;
  }

  async function loseCalls(media: MediaProcess): Promise<void> {
    const signal = await media.exited;
    running.delete(media);
    const isByServer = media.sharing !== SHARED && signal === "SIGABRT";
    for (const onEvent of media.calls.values()) onEvent(isByServer ? LOST_BY_SERVER : LOST);
    if (!isClosed) counts.add("lost", media.calls.size);
    media.calls.clear();
  }

  function receive(media: MediaProcess, message: FromMedia): void {
    media.aliveAtMs = performance.now();
    if (message.kind === "alive") {
      media.residentBytes = message.residentBytes;
      return;
    }
    if (message.kind === "fault") return log.error({ stack: message.stack }, "a fault in a media process");
    const { callId, event } = message;
    const onEvent = media.calls.get(callId);
    if (event.kind === "ended") {
      media.calls.delete(callId);
      counts.add("ended");
      if (event.summary?.isTimingReliable === false) counts.add("gaps");
      media.usedAtMs = performance.now();
      retire();
    }
    onEvent?.(event);
  }

  function retire(): void {
    for (const media of running) {
      const { child, calls, aliveAtMs, usedAtMs } = media;
      const isIdle = calls.size === 0 && performance.now() - usedAtMs >= limits.idleMs;
      if ((isIdle || (calls.size === 0 && isWornOut(media))) && child.connected) child.disconnect();
      if (ranMsSince(aliveAtMs) >= limits.silentMs) child.kill("SIGKILL");
    }
  }

  function freeProcess(sharing: string): MediaProcess {
    const free = [...running].filter(
      (media) =>
        media.sharing === sharing &&
        media.child.connected &&
        media.calls.size < limits.callsAtOnce &&
        !isWornOut(media),
    );
    // The fullest process gets the call, so that other processes become idle.
    return free.sort((one, other) => other.calls.size - one.calls.size)[0] ?? startProcess(sharing);
  }

  const watch = setInterval(retire, ALIVE_EVERY_MS).unref();

  return {
    place(order, onEvent) {
      const { callId } = order;
      if (isClosed) {
        queueMicrotask(() => onEvent(LOST));
        return { say: () => {}, press: () => {}, hangUp: () => {} };
      }
      const media = freeProcess(sharingOf(order));
      media.calls.set(callId, onEvent);
      media.callsInAll++;
      const send = (message: ToMedia) => {
        if (media.child.connected && media.calls.has(callId)) media.child.send(message, () => {});
      };
      send({ kind: "place", order });
      return {
        say: (samples) => send({ kind: "say", callId, samples }),
        press: (keys) => send({ kind: "press", callId, keys }),
        hangUp: () => send({ kind: "hang_up", callId }),
      };
    },

    underWay: () => ({
      processes: running.size,
      calls: [...running].reduce((sum, { calls }) => sum + calls.size, 0),
    }),

    counts,

    processIds: () => [...running].flatMap(({ child }) => child.pid ?? []),

    async close() {
      isClosed = true;
      clearInterval(watch);
      const all = [...running];
      for (const { child } of all) child.kill("SIGKILL");
      await Promise.all(all.map(({ exited }) => exited));
    },
  };
}

const SHARED = "";

/**
 * The third-party package that connects to rooms ends its process when it receives a message that it cannot read. A call in a room
 * therefore shares a process only with calls to the same media server.
 */
const sharingOf = ({ line }: CallOrder): string => (line.kind === "room" ? new URL(line.url).host : SHARED);

const LOST: CallEnd = {
  kind: "ended",
  reason: "simulator_error",
  note: "The media process of the call ended in the middle of it.",
  isOurFault: true,
  cutOff: null,
  summary: null,
  recordingError: null,
  line: null,
};

const LOST_BY_SERVER: CallEnd = {
  ...LOST,
  reason: "media_unreachable",
  note: "The package for rooms aborted its process, most likely at something that the media server sent: check the media server's version.",
  isOurFault: false,
};

/**
 * Starts a media process without settings and credentials in its environment, except the file of further authorities of certificates. The output of native code is dropped, because it repeats
 * texts of media servers. An uncaught exception is reported as a message.
 */
export function startMediaProcess(authoritiesFile?: string): ChildProcess {
  const { file, execArgv, env: own } = startOf("media-process");
  const env = { ...own, ...(authoritiesFile !== undefined && { NODE_EXTRA_CA_CERTS: authoritiesFile }) };
  return fork(file, [], { serialization: "advanced", execArgv, env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
}
