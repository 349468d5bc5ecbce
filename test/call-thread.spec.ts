import { afterEach, expect, test } from "vitest";
import {
  callThread,
  startThread,
  ThreadEnded,
  type ThreadProgram,
} from "../packages/server/src/base/threads/call-thread.ts";
import { startOf } from "../packages/server/src/assets.ts";
import { transfer } from "../packages/server/src/base/threads/serve-calls.ts";
import type { SpecFace } from "./support/threads/spec-thread.ts";
import { until } from "./support/until.ts";

const PROGRAM: ThreadProgram = {
  ...startOf("flite-thread"),
  file: new URL("support/threads/spec-thread.ts", import.meta.url).pathname,
};

let told: string[] = [];
let failures: ThreadEnded[] = [];
const settings = (options: SpecFace["options"] = { name: "one" }) => ({
  options,
  on: { told: (text: string) => void told.push(text), closed: (how: string) => void told.push(how) },
  onFailed: (failure: ThreadEnded) => void failures.push(failure),
});
let opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close()));
  [opened, told, failures] = [[], [], []];
});

function open(options?: SpecFace["options"]) {
  const called = callThread<SpecFace>(PROGRAM, settings(options));
  opened.push(called);
  return called;
}

function start(options?: SpecFace["options"]) {
  const thread = startThread<SpecFace>(PROGRAM, settings(options));
  opened.push(thread);
  return thread;
}

test("a call answers, and the error of a call that fails is the caller's", async () => {
  const { calls } = open({ name: "reader" });
  expect(await calls.name()).toBe("reader");
  await expect(calls.refuse("no")).rejects.toThrow(Object.assign(new TypeError("no"), { code: "SPEC_REFUSED" }));
  await expect(calls.refuse("no")).rejects.toMatchObject({ code: "SPEC_REFUSED" });
  expect(await calls.name()).toBe("reader");
});

test("marked buffers move to the thread without a copy", async () => {
  const { calls } = open();
  const bytes = Uint8Array.of(1, 2, 3);
  expect(await calls.double(transfer(bytes, [bytes.buffer]))).toEqual(Uint8Array.of(2, 4, 6));
  expect(bytes.byteLength).toBe(0);
  const kept = Uint8Array.of(4);
  await calls.double(kept);
  expect(kept).toEqual(Uint8Array.of(4));
});

test("an aborted signal ends the call with its reason, and the thread learns it", async () => {
  const { calls } = open();
  const canceling = new AbortController();
  const waiting = calls.wait(canceling.signal);
  expect(await calls.canceled()).toBe(0);
  canceling.abort(new Error("the client has left"));
  await expect(waiting).rejects.toThrow("the client has left");
  await until("the thread has stopped the work", async () => (await calls.canceled()) === 1);
  await expect(calls.wait(canceling.signal)).rejects.toThrow("the client has left");
});

test("the events of a call come before its answer", async () => {
  const { calls } = open();
  await calls.tellLater("a");
  expect(told).toEqual(["a"]);
});

test("calls keep their order, including those without an answer", async () => {
  const { tell, ask } = start();
  tell.tellLater("b");
  await ask("tellLater", ["c"]);
  expect(told).toEqual(["b", "c"]);
});

test.each(["die", "throwLater"] as const)(
  "a thread that ends (%s) fails its waiting calls, says so once, and starts again",
  async (end) => {
    const { calls } = open();
    await calls.name();
    const waiting = [calls.wait(new AbortController().signal), calls[end]()];
    const ends = await Promise.allSettled(waiting);
    for (const { reason } of ends as PromiseRejectedResult[]) expect(reason).toBeInstanceOf(ThreadEnded);
    expect(await calls.name()).toBe("one");
    await until("the failure is said", () => failures.length > 0);
    expect(failures).toEqual([expect.objectContaining({ wasReady: true })]);
  },
);

test("a fatal error of a call ends the thread after what it has open is closed", async () => {
  const { ask, ready, isAlive } = start();
  await ready;
  await expect(ask("damage", [])).rejects.toMatchObject({ name: "ThreadEnded", cause: new Error("damage") });
  expect(isAlive()).toBe(false);
  await expect(ask("name", [])).rejects.toThrow(ThreadEnded);
  await until("the thread has ended", () => failures.length === 1);
  expect(told).toEqual(["after a failure"]);
});

test("a thread that does not open says why", async () => {
  const { ready, ask } = start({ name: "one", opensNot: true });
  const asked = ask("name", []);
  await expect(ready).rejects.toThrow("it does not open");
  await expect(asked).rejects.toMatchObject({ wasReady: false, cause: new Error("it does not open") });
});

test("a thread that is closed ends in order, is no failure, and takes no more calls", async () => {
  const { calls, close } = open();
  await calls.name();
  await close(10_000);
  expect(told).toEqual(["in order"]);
  await expect(calls.name()).rejects.toThrow(ThreadEnded);
  expect(failures).toEqual([]);
});

test("a thread that was stopped starts again with the next call", async () => {
  const { calls, stop } = open();
  await calls.name();
  await stop();
  expect(await calls.name()).toBe("one");
  expect(failures).toEqual([]);
});
