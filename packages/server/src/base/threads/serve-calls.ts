import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";

/** Interface of a thread: its options, the calls that it answers, and the events that it sends by itself. */
export type ThreadFace = { options: unknown; calls: Members; events: Members };

type Members = Record<string, (...args: never[]) => unknown>;
type Member = (...args: unknown[]) => unknown;

/**
 * A message to a thread. A call without an id gets no answer. If `cancels` is true, the thread adds a signal as the last argument of the
 * call.
 */
export type ToThread =
  | { kind: "open"; options: unknown }
  | { kind: "call"; id?: number; name: string; args: unknown[]; cancels?: boolean }
  | { kind: "cancel"; id: number }
  | { kind: "close"; id: number };

/** A message from a thread. `ready`: the thread accepts calls. `failed`: the thread ends because of an error. */
export type FromThread =
  | { kind: "ready" }
  | { kind: "answer"; id: number; value: unknown }
  /** `code` is the error's code, which the copy of an error in a message does not contain. */
  | { kind: "refusal"; id: number; error: unknown; code?: string | undefined }
  | { kind: "event"; name: string; args: unknown[] }
  | { kind: "failed"; error: unknown };

/** Functions of an open thread: `calls` answers calls, and the other functions end the thread. */
type Served<Calls extends Members> = {
  calls: Implementation<Calls>;
  /** Closes the thread's resources in order. */
  close?: () => Promise<void>;
  abandon?: () => Promise<void>;
  isFatal?: (error: unknown) => boolean;
};

/** Functions of the thread for the calls. They may return a value directly where the callers get a promise. */
type Implementation<Calls extends Members> = {
  [Name in keyof Calls]: (
    ...args: Required<Parameters<Calls[Name]>>
  ) => ReturnType<Calls[Name]> | Awaited<ReturnType<Calls[Name]>>;
};

type Serving<Events extends Members> = {
  tell: Events;
  /** Ends the thread because of an error. The thread then ignores all further calls. */
  fail: (error: unknown) => void;
};

/** Lowest priority of a Linux thread. */
const NICENESS_MAX = 19;

const buffersOf = new WeakMap<object, readonly ArrayBufferLike[]>();

/** Marks the buffers of the value for transfer: a message with the value moves them instead of copying them. Returns the value. */
export function transfer<Value extends object>(value: Value, buffers: readonly ArrayBufferLike[]): Value {
  buffersOf.set(value, buffers);
  return value;
}

export const transferred = (values: readonly unknown[]): ArrayBuffer[] =>
  values.flatMap((value) => (buffersOf.get(value as object) ?? []) as ArrayBuffer[]);

/** Returns an object whose members all call `work` with their own name. Assigned members take precedence. */
export const membersOf = <Of extends Members>(work: (name: string, args: unknown[]) => unknown): Of =>
  new Proxy({} as Of, {
    get: (assigned, name) =>
      // A promise treats an object with a member `then` as another promise.
      typeof name === "symbol" || name === "then" || Object.hasOwn(assigned, name)
        ? Reflect.get(assigned, name)
        : (...args: unknown[]) => work(name, args),
  });

/**
 * Answers the calls of the thread that started this one. `open` gets the options of that thread. On Linux, this thread gets a priority
 * that is lower by `niceness`, so that other threads run first under load.
 */
export function serveCalls<Face extends ThreadFace>(
  open: (
    options: Face["options"],
    serving: Serving<Face["events"]>,
  ) => Served<Face["calls"]> | Promise<Served<Face["calls"]>>,
  niceness = 0,
): void {
  const port = parentPort!;
  const cancels = new Map<number, AbortController>();
  const opening = Promise.withResolvers<Served<Face["calls"]>>();
  let hasFailed = false;

  const send = (message: FromThread, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers);
  const refuse = (id: number, error: unknown) => {
    const { code } = error as { code?: unknown };
    send({ kind: "refusal", id, error, ...(typeof code === "string" && { code }) });
  };
  const tell = membersOf<Face["events"]>((name, args) => send({ kind: "event", name, args }));

  async function start(options: unknown): Promise<void> {
    opening.resolve(await open(options, { tell, fail }));
    send({ kind: "ready" });
  }

  async function answer({ id, name, args, cancels: isCancelable }: Extract<ToThread, { kind: "call" }>): Promise<void> {
    if (id !== undefined && isCancelable) {
      const canceling = new AbortController();
      cancels.set(id, canceling);
      args.push(canceling.signal);
    }
    const { calls, isFatal } = await opening.promise;
    try {
      const value = await (calls[name] as Member)(...args);
      if (id !== undefined) send({ kind: "answer", id, value }, transferred([value]));
    } catch (error) {
      if (id === undefined || isFatal?.(error)) fail(error);
      else refuse(id, error);
    } finally {
      if (id !== undefined) cancels.delete(id);
    }
  }

  async function close(id: number): Promise<void> {
    try {
      const { close: closeServed } = await opening.promise;
      send({ kind: "answer", id, value: await closeServed?.() });
    } catch (error) {
      refuse(id, error);
    }
    port.close();
  }

  function fail(failure: unknown): void {
    if (hasFailed) return;
    hasFailed = true;
    send({ kind: "failed", error: failure });
    void abandon();
  }

  async function abandon(): Promise<void> {
    const served = await opening.promise;
    await served.abandon?.();
    port.close();
  }

  port.on("message", (message: ToThread) => {
    if (hasFailed) return;
    if (message.kind === "call") void answer(message);
    else if (message.kind === "cancel") cancels.get(message.id)?.abort();
    else if (message.kind === "open") void start(message.options);
    else void close(message.id);
  });
  // A process that started with a low priority may not raise it again.
  if (niceness > 0 && process.platform === "linux") setPriority(Math.min(NICENESS_MAX, getPriority() + niceness));
}
