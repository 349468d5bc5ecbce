import { afterAll, beforeAll, expect, test } from "vitest";
import { useEveryOperation } from "../support/every-operation.ts";
import { sendGeneratedRequests } from "../support/generated-requests.ts";
import { IS_LONG } from "../support/long-form.ts";
import { seed } from "../support/property-seed.ts";
import { openWorld, type World } from "../support/world.ts";

const REQUESTS = IS_LONG ? 2_000 : 800;

let w: World;
beforeAll(async () => {
  w = await openWorld();
  await useEveryOperation(w);
});
afterAll(() => w.stop());

test("requests that are drawn from the OpenAPI document get only answers that it declares", async () => {
  const project = w.project.id;
  const { findings, statuses, reached } = await sendGeneratedRequests({
    url: w.url,
    callers: [{ key: w.projectKey, project }, { key: w.adminKey, project }, { key: w.adminKey }, { key: w.viewer.key }],
    count: REQUESTS,
    seed: Number(seed ?? Date.now() % 2 ** 30),
  });
  expect(findings.slice(0, 5)).toEqual([]);
  // Which operations succeed depends on the draw.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "400", "403", "404", "422"]));
  expect(reached.size).toBeGreaterThan(15);
});
