import { afterAll, beforeAll, expect, test } from "vitest";
import type { Demo } from "../../../packages/cli/src/demo/start-demo.ts";
import { openHome } from "../../support/cli.ts";
import { freePort } from "../../support/worker-service.ts";

const TRIES = 2;

let home: ReturnType<typeof openHome>;
beforeAll(() => {
  home = openHome();
});
afterAll(() => home.remove());

async function demo(): Promise<Demo> {
  const env = { PORT: String(await freePort()) };
  const { exitCode, stdout } = await home.svc(["demo", "--voice", "--no-stay", "--json"], { env });
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as Demo;
}

const isUnmeasured = ({ simulations }: Demo): boolean =>
  simulations.some(({ grades }) =>
    grades!.some(({ verdict, reason }) => verdict === "inconclusive" && /sent no sound/.test(reason!)),
  );

test("the voice demo finds the sample agent's defect in the sound, without a key of a provider", async ({ skip }) => {
  let result = await demo();
  for (let tried = 1; tried < TRIES && isUnmeasured(result); tried++) result = await demo();
  if (isUnmeasured(result)) skip("the machine was too busy in every try to measure calls");
  const verdicts = result.simulations.map(({ testName, verdict }) => [testName, verdict]);
  expect(verdicts).toEqual([
    ["Books a room", "passed"],
    ["Stops when the caller interrupts", "failed"],
    ["Answers without a long pause", "passed"],
  ]);
  const heard = (index: number, name: string) =>
    result.heard![index]!.measures.find((measure) => measure.name === name)!.summary;
  expect(heard(0, "heard_response_latency").n).toBeGreaterThanOrEqual(2);
  expect(heard(1, "heard_yield_latency").mean).toBeGreaterThan(500);
  expect(heard(2, "heard_first_sound").n).toBe(1);
}, 900_000);
