import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { newSecret } from "../support/secret.ts";
import { clientOf, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { aTest } from "../support/world.ts";

type Saved = { profiles: Record<string, { url: string; apiKey: string; projectApiKey?: string; project?: string }> };

const PASSWORD = "correct horse battery";
const SECRET = /svc_sk_[A-Za-z0-9_-]{43}/;

let server: TestServer;
let home: ReturnType<typeof openHome>;
const homes: (typeof home)[] = [];

beforeAll(async () => {
  server = await startServer();
});

beforeEach(() => {
  home = openHome({ SVC_URL: server.url });
  homes.push(home);
});

afterAll(async () => {
  await server?.stop();
  for (const each of homes) each.remove();
});

const saved = () => JSON.parse(readFileSync(home.profiles, "utf8")) as Saved;
const modeOf = (path: string) => statSync(path).mode & 0o777;

function save(profiles: Saved["profiles"], mode = 0o600): void {
  mkdirSync(dirname(home.profiles), { recursive: true });
  writeFileSync(home.profiles, JSON.stringify({ profiles }), { mode });
  chmodSync(home.profiles, mode);
}

describe("claim", () => {
  test("`claim` creates the first account and saves two keys in a private file, without printing them", async () => {
    const fresh = await home.serve();
    try {
      const args = ["claim", "--name", "Ada Park", "--email", "ada@acme.test"];
      const { exitCode, stdout, stderr } = await home.svc(args, {
        stdin: `${PASSWORD}\n`,
        env: { SVC_URL: fresh.url },
      });
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(
        /Ada Park owns .*svc_sk_….{4} +the whole organization.*svc_sk_….{4} +project "Default", to send/s,
      );
      expect(stdout).not.toMatch(SECRET);
      expect([modeOf(home.profiles), modeOf(dirname(home.profiles))]).toEqual([0o600, 0o700]);

      const { apiKey, projectApiKey, project } = saved().profiles.default!;
      const { projects } = await clientOf(fresh.url, apiKey).projects.list();
      expect(projects.map(({ id }) => id)).toEqual([project]);
      const { keys } = await clientOf(fresh.url, apiKey).keys.list();
      const saving = keys.filter(({ name }) => name?.startsWith("svc CLI on"));
      expect(saving.map(({ scope, permissions }) => [scope, permissions])).toEqual([
        ["project", ["ingest"]],
        ["organization", ["admin"]],
      ]);
      await expect(clientOf(fresh.url, projectApiKey).tests.list()).rejects.toMatchObject({ code: "not_permitted" });

      const again = await home.svc(args, { stdin: PASSWORD, env: { SVC_URL: fresh.url } });
      expect([again.exitCode, again.stderr]).toEqual([
        1,
        expect.stringMatching(/already has an account\. Sign in with|has an account/),
      ]);
    } finally {
      await fresh.stop();
    }
  });

  test("`claim` takes the password only from standard input or the environment, and refuses a short one", async () => {
    const fresh = await home.serve();
    try {
      const args = ["claim", "--name", "Ada", "--email", "ada@acme.test"];
      const short = await home.svc(args, { stdin: "short", env: { SVC_URL: fresh.url } });
      expect([short.exitCode, short.stderr]).toEqual([2, expect.stringContaining("at least 10 characters")]);
      const flag = await home.svc([...args, "--password", PASSWORD]);
      expect([flag.exitCode, flag.stderr]).toEqual([2, expect.stringContaining("Nonexistent flag: --password")]);
    } finally {
      await fresh.stop();
    }
  });

  test("`claim` refuses a claimed instance before it asks for a name or a password", async () => {
    const { exitCode, stderr } = await home.svc(["claim"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("already has an account")]);
  });
});

describe("login", () => {
  test("`login` checks the key from standard input and saves it with mode 0600, without printing it", async () => {
    const { exitCode, stdout, stderr } = await home.svc(["login"], { stdin: `${server.adminKey}\n` });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('"Default"');
    expect(stdout).not.toMatch(SECRET);
    expect(saved().profiles.default).toEqual({ url: server.url, apiKey: server.adminKey });
    expect(modeOf(home.profiles)).toBe(0o600);
    expect((await home.svc(["keys", "list"], { env: { SVC_URL: "" } })).exitCode).toBe(0);
  });

  test("`login` saves nothing when the service rejects the key", async () => {
    const { exitCode, stderr } = await home.svc(["login"], { stdin: newSecret() });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("rejects the API key")]);
    expect(saved().profiles).toEqual({});
  });

  test("`login` refuses a text that is not a key before it is sent, and does not repeat it", async () => {
    const { exitCode, stdout, stderr } = await home.svc(["login"], { stdin: "hunter2-hunter2" });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("svc_sk_ and 43 characters")]);
    expect(stdout + stderr).not.toContain("hunter2");
  });

  test("`login` signs in with an e-mail address and creates keys", async () => {
    const args = ["login", "--email", "admin@acme.test", "--profile", "mine", "--json"];
    const { exitCode, stdout } = await home.svc(args, { env: { SVC_PASSWORD: PASSWORD } });
    expect(exitCode).toBe(0);
    expect(stdout).not.toMatch(SECRET);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: "mine",
      keys: [{ scope: "organization" }, { scope: "project" }],
    });
    const wrong = await home.svc(["login", "--email", "admin@acme.test"], { stdin: "not the password" });
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining("password is wrong")]);
  });

  test("an agent's process gets the profile's key that only sends, and never one of another project", async () => {
    await server.client.tests.create(aTest({ name: "Greets", scenario: "Says: Good morning." }));
    await server.client.agents.register({ name: "local" });
    await home.svc(["login", "--email", "admin@acme.test"], { env: { SVC_PASSWORD: PASSWORD } });
    const { apiKey, projectApiKey } = saved().profiles.default!;
    const seen = join(home.folder, "seen");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(seen)}, process.env.SVC_API_KEY)`;
    const command = `${process.execPath} -e '${script}'`;
    const start = ["runs", "start", "--test", "Greets", "--agent", "local", "--agent-command", command];
    expect((await home.svc(start)).exitCode).toBe(2);
    expect(readFileSync(seen, "utf8")).toBe(projectApiKey);

    const admin = clientOf(server.url, apiKey);
    const { project } = await admin.projects.create({ name: "Other" });
    await admin.tests.create(aTest({ name: "Greets", project: project.id }));
    const other = await home.svc([...start, "--project", "Other"]);
    expect(other).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("is of another project") });
  });

  test("`svc login` without a terminal and without a key prints a code and an address, and gets keys when a person approves the code there", async () => {
    const { ended, stderr } = home.start(["login"]);
    const code = await until("the code", () => /Your code is (\S+)/.exec(stderr())?.[1]);
    expect(stderr()).toContain(`${server.url}/device?user_code=${code}`);
    const args = ["login", "--approve", code, "--email", "admin@acme.test", "--yes"];
    const other = openHome({ SVC_URL: server.url, SVC_PASSWORD: PASSWORD });
    homes.push(other);
    expect((await other.svc(args)).exitCode).toBe(0);
    expect(await ended).toMatchObject({ exitCode: 0 });
    const { projects } = await clientOf(server.url, saved().profiles.default!.apiKey).projects.list();
    expect(projects).not.toEqual([]);
  });

  test("`login` keeps other profiles", async () => {
    save({ staging: { url: "https://staging.test", apiKey: newSecret() } });
    await home.svc(["login"], { stdin: server.adminKey });
    expect(Object.keys(saved().profiles).sort()).toEqual(["default", "staging"]);
  });
});

test("`logout` removes the profile, and says when there is no such profile", async () => {
  save({ default: { url: server.url, apiKey: server.adminKey } });
  expect((await home.svc(["logout"])).stdout).toContain('Removed the profile "default"');
  expect(saved().profiles).toEqual({});
  expect((await home.svc(["logout"])).stdout).toContain("There is no profile");
});

describe("a profile file", () => {
  test("a profile file is refused with the command that fixes it when other users can read it, and `doctor` finds it", async () => {
    save({ default: { url: server.url, apiKey: server.adminKey } }, 0o644);
    const { exitCode, stderr } = await home.svc(["keys", "list"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`chmod 600 ${home.profiles}`)]);
    const doctor = await home.svc(["doctor"]);
    expect([doctor.exitCode, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(/wrong +profile file: other users can read/),
    ]);
  });

  test("a profile file is refused when it contains no profiles, and the message says what to do", async () => {
    save({ default: { url: server.url, apiKey: server.adminKey } });
    writeFileSync(home.profiles, "[]");
    const { exitCode, stderr } = await home.svc(["keys", "list"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Remove it, then run `svc login`")]);
  });

  test("a profile file is not read when the environment has the address and the key", async () => {
    save({}, 0o644);
    expect((await home.svc(["keys", "list"], { env: { SVC_API_KEY: server.adminKey } })).exitCode).toBe(0);
  });

  test("a profile file is refused when the profile of the flag is missing, with the command that creates it", async () => {
    const { exitCode, stderr } = await home.svc(["keys", "list", "--profile", "staging"], { env: { SVC_URL: "" } });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("svc login --profile staging")]);
    const withAddress = await home.svc(["keys", "list", "--profile", "staging"]);
    expect([withAddress.exitCode, withAddress.stderr]).toEqual([1, stderr]);
    const named = await home.svc(["keys", "list"], { env: { SVC_URL: "", SVC_API_KEY: "", SVC_PROFILE: "staging" } });
    expect([named.exitCode, named.stderr]).toEqual([1, stderr]);
  });
});

test("a saved key is sent only to the address for which it was saved", async () => {
  save({ default: { url: server.url, apiKey: server.adminKey } });
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { exitCode, stderr } = await home.svc(["keys", "list", "--url", url]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`No API key for ${url}: the key in the profile "default" is for ${server.url}.`),
    ]);
    await home.svc(["health", "--url", url]);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});
