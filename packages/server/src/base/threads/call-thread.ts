import { Worker } from "node:worker_threads";
import type { startOf } from "../../assets.ts";
import { type FromThread, membersOf, type ThreadFace, type ToThread, transferred } from "./serve-calls.ts";

/** A larger young generation uses more memory and does not make garbage collection cheaper. */
const YOUNG_HEAP_MB = 24;
/**
 * Enough memory to read the largest conversation as a whole, in the densest JSON. A higher limit would let V8 collect garbage later and use
 * more memory.
 */
const OLD_HEAP_MB = 1536;

/** The program that a thread runs. It has to call `serveCalls`. */
export type ThreadProgram = ReturnType<typeof startOf> & { youngHeapMb?: number };

/** Error of the calls to a thread that has ended. If the thread was ready before, one of the calls may have ended it. */
export class ThreadEnded extends Error {
  readonly wasReady: boolean;

  constructor(wasReady: boolean, cause: unknown) {
    super("the thread has ended", { cause });
    this.name = "ThreadEnded";
    this.wasReady = wasReady;
  }
}

type ThreadOptions<Face extends ThreadFace> = {
  options: Face["options"];
  on: Face["events"];
  /** Called once with the error when the thread ends without `close`. */
  onFailed?: (failure: ThreadEnded) => void;
  /** Converts the error of a failed call to the error that its caller gets. Default: unchanged. */
  errorOf?: (error: unknown) => unknown;
  /** Whether the running thread keeps the process alive. Default: true. */
  keepsProcess?: boolean;
};

/** Sends a call to the thread. If the last argument is an `AbortSignal`, it cancels the call. */
type Ask = (name: string, args: unknown[]) => Promise<unknown>;

/** A running thread. It does not restart after it has ended. */
export type Thread<Face extends ThreadFace> = {
  ask: Ask;
  /** Functions that send a call without waiting for an answer. */
  tell: { [Name in keyof Face["calls"]]: (...args: Parameters<Face["calls"][Name]>) => void };
  ready: Promise<void>;
  isAlive: () => boolean;
  waiting: () => number;
  /**
   * Lets the thread close its resources, terminates it after `graceMs` at the latest, and resolves when it has ended. Default of
   * `graceMs`: 0, which terminates it immediately.
   */
  close: (graceMs?: number) => Promise<void>;
};

const prepared = new Map<string, Worker>();

/** Starts a thread in advance, so that its code is loaded when `startThread` needs it. */
export function prepareThread(program: ThreadProgram): void {
  if (prepared.has(program.file)) return;
  const worker = createWorker(program);
  prepared.set(program.file, worker);
  const forget = () => {
    if (prepared.get(program.file) === worker) prepared.delete(program.file);
  };
  worker.on("error", forget); // the next worker fails too, and reports the error to its caller
  worker.on("exit", forget);
  worker.unref();
}

function takeWorker(program: ThreadProgram): Worker {
  const worker = prepared.get(program.file) ?? createWorker(program);
  prepared.delete(program.file);
  worker.ref();
  return worker;
}

const createWorker = ({ file, execArgv, env, youngHeapMb = YOUNG_HEAP_MB }: ThreadProgram): Worker =>
  new Worker(file, {
    resourceLimits: { maxYoungGenerationSizeMb: youngHeapMb, maxOldGenerationSizeMb: OLD_HEAP_MB },
    execArgv,
    env,
  });

/** Starts a thread. When the thread ends, its open calls reject with `ThreadEnded`. */
export function startThread<Face extends ThreadFace>(
  program: ThreadProgram,
  { options, on, onFailed, errorOf = asItIs, keepsProcess = true }: ThreadOptions<Face>,
): Thread<Face> {
  const worker = takeWorker(program);
  const calls = new Map<number, Pick<PromiseWithResolvers<unknown>, "resolve" | "reject">>();
  const ready = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  let lastId = 0;
  let isReady = false;
  let isClosing = false;
  let ended: ThreadEnded | undefined;

  const post = (message: ToThread, buffers: ArrayBuffer[] = []) => worker.postMessage(message, buffers);

  function giveUp(cause: unknown): void {
    if (ended !== undefined) return;
    ended = new ThreadEnded(isReady, cause);
    for (const { reject } of calls.values()) reject(ended);
    ready.reject(cause ?? ended);
  }

  function onMessage(message: FromThread): void {
    if (message.kind === "answer") calls.get(message.id)?.resolve(message.value);
    else if (message.kind === "refusal") {
      const { id, error, code } = message;
      calls.get(id)?.reject(code === undefined ? error : Object.assign(error as Error, { code }));
    } else if (message.kind === "event") (on[message.name] as (...args: unknown[]) => void)(...message.args);
    else if (message.kind === "failed") giveUp(message.error);
    else {
      isReady = true;
      ready.resolve();
    }
  }

  async function waitFor(send: (id: number) => void, signal?: AbortSignal): Promise<unknown> {
    const id = ++lastId;
    const { promise, ...call } = Promise.withResolvers<unknown>();
    const cancel = () => {
      post({ kind: "cancel", id });
      call.reject(signal!.reason);
    };
    try {
      signal?.throwIfAborted();
      if (ended !== undefined) throw ended;
      signal?.addEventListener("abort", cancel, { once: true });
      calls.set(id, call);
      send(id);
      return await promise;
    } catch (error) {
      throw signal?.aborted ? signal.reason : errorOf(error);
    } finally {
      calls.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  worker.on("message", onMessage);
  worker.on("error", giveUp);
  worker.once("exit", () => {
    giveUp(undefined);
    exited.resolve();
    if (!isClosing) onFailed?.(ended!);
  });
  ready.promise.catch(() => undefined); // the calls report the error too
  if (!keepsProcess) worker.unref();
  post({ kind: "open", options });

  return {
    ask(name, args) {
      const signal = args.at(-1);
      if (!(signal instanceof AbortSignal))
        return waitFor((id) => post({ kind: "call", id, name, args }, transferred(args)));
      const cloned = args.slice(0, -1);
      const call = { kind: "call", name, args: cloned, cancels: true } as const;
      return waitFor((id) => post({ ...call, id }, transferred(cloned)), signal);
    },
    tell: membersOf((name, args) => post({ kind: "call", name, args }, transferred(args))),
    ready: ready.promise,
    isAlive: () => ended === undefined && !isClosing,
    waiting: () => calls.size,
    async close(graceMs = 0) {
      isClosing = true;
      const deadline = setTimeout(() => void worker.terminate(), graceMs);
      try {
        if (graceMs > 0 && ended === undefined) await waitFor((id) => post({ kind: "close", id }));
      } finally {
        await exited.promise;
        clearTimeout(deadline);
      }
    },
  };
}

/** A thread that starts with the first call. The first call after its end starts it again. */
type CalledThread<Face extends ThreadFace> = {
  calls: Face["calls"];
  /** Ends the thread; the next call starts another one. */
  stop: () => Promise<void>;
  /** Ends the thread permanently, after `graceMs` at the latest. Further calls throw. */
  close: (graceMs?: number) => Promise<void>;
};

export function callThread<Face extends ThreadFace>(
  program: ThreadProgram,
  options: ThreadOptions<Face>,
): CalledThread<Face> {
  const { errorOf = asItIs } = options;
  let thread: Thread<Face> | undefined;
  let isClosed = false;

  function current(): Thread<Face> {
    if (thread?.isAlive()) return thread;
    if (isClosed) throw errorOf(new ThreadEnded(false, undefined));
    return (thread = startThread(program, options));
  }

  return {
    calls: membersOf<Face["calls"]>(async (name, args) => current().ask(name, args)),
    stop: async () => thread?.close(),
    async close(graceMs) {
      isClosed = true;
      await thread?.close(graceMs);
    },
  };
}

const asItIs = (error: unknown): unknown => error;
