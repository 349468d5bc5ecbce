import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { answers, fakeEndpoint } from "../support/language-model/fake-endpoint.ts";
import { startServer, type TestServer } from "../support/server.ts";

const KEY = "a-key-that-no-terminal-shows";

let server: TestServer;
let endpoint: Awaited<ReturnType<typeof fakeEndpoint>>;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await startServer();
  endpoint = await fakeEndpoint(answers("OK"));
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
});

afterAll(async () => {
  await server?.stop();
  endpoint?.stop();
  home?.remove();
});

test("`svc language-model` sets a model with a sealed key, shows it, and removes it; `svc doctor` asks it", async () => {
  expect((await home.svc(["language-model", "show"])).stdout).toMatch(/^No language model\. Set a language model/);
  const { baseUrl } = endpoint.settings;
  const model = ["--address", baseUrl, "--model", "model-1"];
  const set = await home.svc(["language-model", "set", ...model], { stdin: `${KEY}\n` });
  expect([set.exitCode, set.stdout]).toEqual([
    0,
    `Saved model-1 at ${baseUrl} (key …hows, sealed). To ask it for a short answer: svc doctor\n`,
  ]);
  expect((await home.svc(["doctor"])).stdout).toMatch(/language model.*"model-1" answers in \d+ ms/);
  expect(endpoint.asked[0]!.authorization).toBe(`Bearer ${KEY}`);

  const priced = ["--keep-key", "--price-input", "0.25", "--price-output", "2"];
  expect((await home.svc(["language-model", "set", ...model, ...priced])).exitCode).toBe(0);
  const shown = await home.svc(["language-model", "show"]);
  expect(shown.stdout).toMatch(/model +model-1\n.*key +…hows\n.*prices +0\.25 input, 2 output/s);
  expect(set.stdout + set.stderr + shown.stdout).not.toContain(KEY);

  const removed = await home.svc(["language-model", "remove", "--yes"]);
  expect([removed.exitCode, removed.stdout]).toEqual([0, "Removed the language model and its key.\n"]);
  expect((await home.svc(["language-model", "show"])).stdout).toMatch(/^No language model/);
});

test("one price, an empty key and an unusable address are refused with what to do", async () => {
  const set = (...more: string[]) =>
    home.svc(["language-model", "set", "--model", "m", ...more], { stdin: `${KEY}\n` });
  const half = await set("--address", "https://models.example.com/v1", "--price-input", "1");
  expect([half.exitCode, half.stderr]).toEqual([2, expect.stringMatching(/--price-input and --price-output together/)]);
  const wrong = await set("--address", "models");
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringMatching(/https:\/\/api\.openai\.com\/v1/)]);
  const empty = await home.svc(
    ["language-model", "set", "--model", "m", "--address", "https://models.example.com/v1"],
    { stdin: "\n" },
  );
  expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringMatching(/Enter the key of the language model/)]);
});
