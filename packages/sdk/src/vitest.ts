import { createRequire } from "node:module";
import { expect } from "vitest";
import { createClient } from "./client.ts";
import { failureText } from "./failures.ts";
import { playRun, type PlayedRun, type RunRequest } from "./play-run.ts";
import { type VitestManifest, vitestNeeds } from "./vitest-needs.ts";

export type { PlayedRun, RunRequest };

declare global {
  // The interface of Vitest's own matchers has other type parameters in each of its versions; every version adds the matchers of chai.
  namespace Chai {
    interface Assertion {
      /** Passes when every simulation of the run passed. The message names the failing behaviors with the quoted turns. */
      toPass(): void;
    }
  }
}

const installed = createRequire(import.meta.url)("vitest/package.json") as VitestManifest;
const needs = vitestNeeds(installed, process.versions.node);
// An error would not be seen: a Vitest that its Node is too old for fails while it prints errors.
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
 * Plays runs on the service at `SVC_URL` with the key in `SVC_API_KEY`. Importing this module
 * adds the matcher `toPass` to Vitest's `expect`.
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
   * Plays tests against an agent, and waits for the verdicts.
   *
   * @throws Error when the request names something that the project does not have, or selects nothing.
   * @throws SvcError when the service refuses a request, or does not answer.
   */
  run(request: RunRequest): Promise<PlayedRun> {
    return playRun(createClient(), request);
  },
};
