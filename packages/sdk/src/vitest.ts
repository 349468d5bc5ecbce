import { createRequire } from "node:module";
import { expect } from "vitest";
import { createClient } from "./client.ts";
import { failureText } from "./failures.ts";
import { playRun, type PlayedRun, type RunRequest } from "./play-run.ts";
import { type VitestManifest, vitestNeeds } from "./vitest-needs.ts";

export type { PlayedRun, RunRequest };

declare global {
  // Vitest's interface for matchers has different type parameters in each version. All versions include the assertions of chai.
  namespace Chai {
    interface Assertion {
      /** Passes when every simulation of the run passed. The failure message lists the failed behaviors with the quoted turns. */
      toPass(): void;
    }
  }
}

const installed = createRequire(import.meta.url)("vitest/package.json") as VitestManifest;
const needs = vitestNeeds(installed, process.versions.node);
// The problem is logged and not thrown, because Vitest on a Node that is too old crashes when it prints an error.
if (needs !== undefined) console.error(needs);

const isPlayedRun = (value: unknown): value is PlayedRun =>
  typeof value === "object" && value !== null && "passed" in value && "simulations" in value && "run" in value;

expect.extend({
  toPass(received: unknown) {
    if (!isPlayedRun(received)) throw new TypeError("toPass takes the result of `await svc.run({ … })`.");
    return {
      pass: received.passed,
      message: () =>
        failureText(received) || `The run ${received.run.id} passed, and the test expects that it does not.`,
    };
  },
});

/**
 * Plays runs on the service at `SVC_URL` with the key in `SVC_API_KEY`. The import of this module adds the matcher `toPass` to
 * Vitest's `expect`.
 *
 * ```ts
 * import { svc } from "@svc/sdk/vitest";
 * import { expect, test } from "vitest";
 *
 * test("the agent books a room", async ({ signal }) => {
 *   expect(await svc.run({ suite: "Booking", agent: "Front desk", signal })).toPass();
 * }, 120_000);
 * ```
 */
export const svc = {
  /**
   * Plays tests against an agent, and waits until the verdicts are final.
   *
   * @throws Error when a name of the request does not exist or is ambiguous, and when the request selects no tests.
   * @throws SvcError when the service rejects a request, or does not answer for two minutes.
   */
  run(request: RunRequest): Promise<PlayedRun> {
    return playRun(createClient(), request);
  },
};
