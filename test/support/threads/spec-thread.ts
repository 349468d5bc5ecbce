import { setTimeout as delay } from "node:timers/promises";
import { serveCalls, transfer } from "../../../packages/server/src/base/threads/serve-calls.ts";

/** The calls of a test thread. They show each guarantee of `call-thread.ts`. */
export type SpecFace = {
  options: { name: string; opensNot?: boolean };
  calls: {
    name: () => Promise<string>;
    refuse: (message: string) => Promise<never>;
    /** Returns the bytes, which are transferred to the thread and back. */
    double: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;
    wait: (signal: AbortSignal) => Promise<void>;
    canceled: () => Promise<number>;
    tellLater: (text: string) => Promise<void>;
    die: () => Promise<void>;
    throwLater: () => Promise<void>;
    damage: () => Promise<void>;
  };
  events: { told: (text: string) => void; closed: (how: string) => void };
};

serveCalls<SpecFace>(({ name, opensNot = false }, { tell }) => {
  if (opensNot) throw new Error("it does not open");
  let canceled = 0;

  return {
    calls: {
      name: () => name,
      refuse(message) {
        throw Object.assign(new TypeError(message), { code: "SPEC_REFUSED" });
      },
      double: (bytes) =>
        transfer(
          bytes.map((byte) => 2 * byte),
          [],
        ),
      async wait(signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        canceled++;
      },
      canceled: () => canceled,
      async tellLater(text) {
        await delay(1);
        tell.told(text);
      },
      die: () => process.exit(3),
      throwLater: () =>
        new Promise(() => {
          setImmediate(() => {
            throw new Error("a defect");
          });
        }),
      damage() {
        throw new Error("damage");
      },
    },
    isFatal: (error) => (error as Error).message === "damage",
    close: async () => tell.closed("in order"),
    abandon: async () => tell.closed("after a failure"),
  };
});
