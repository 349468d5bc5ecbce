import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const KEY = "a-key-that-no-terminal-shows";

let server: SharedServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

test("keys come from standard input or the environment, are listed by their last characters, and are removed", async () => {
  expect((await home.svc(["provider-keys", "list"])).stdout).toMatch(/No provider keys\. .*svc provider-keys set/);
  const set = await home.svc(["provider-keys", "set", "cartesia"], { stdin: `${KEY}\n` });
  expect([set.exitCode, set.stdout]).toEqual([0, "Saved the key of cartesia (…hows), sealed.\n"]);
  const azure = ["provider-keys", "set", "azure", "--region", "westeurope"];
  expect((await home.svc(azure, { env: { SVC_PROVIDER_KEY: KEY } })).exitCode).toBe(0);

  const { stdout } = await home.svc(["provider-keys", "list"]);
  expect(stdout).toMatch(/azure +…hows +westeurope +just now\ncartesia +…hows +just now/);
  expect(set.stdout + set.stderr + stdout).not.toContain(KEY);

  const removed = await home.svc(["provider-keys", "remove", "cartesia", "--yes"]);
  expect([removed.exitCode, removed.stdout]).toEqual([0, "Removed the key of cartesia.\n"]);
  const again = await home.svc(["provider-keys", "remove", "cartesia", "--yes"]);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringMatching(/no "cartesia".*svc provider-keys list/)]);
});

test("a short key, an unknown provider and a project key are refused, and the message says what to do", async () => {
  const short = await home.svc(["provider-keys", "set", "hume"], { stdin: "short" });
  expect([short.exitCode, short.stderr]).toEqual([2, expect.stringMatching(/at least 8 characters/)]);
  const unknown = await home.svc(["provider-keys", "set", "acme"], { stdin: KEY });
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/one of: openai, cartesia, elevenlabs/),
  ]);
  const project = await home.svc(["provider-keys", "list"], { env: { SVC_API_KEY: server.projectKey } });
  expect([project.exitCode, project.stderr]).toEqual([
    1,
    expect.stringMatching(/Use an admin's organization-wide key/),
  ]);
});
