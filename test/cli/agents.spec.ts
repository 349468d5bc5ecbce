import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { startServer, type TestServer } from "../support/server.ts";

type Connection = { id: string; config: object; credentialsHint: string | null; environment: string };

let server: TestServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const told = async (args: string[], options = {}) => {
  const { exitCode, stdout, stderr } = await home.svc(args, options);
  return [exitCode, exitCode === 0 ? stdout : stderr] as const;
};
const register = async (name: string) => (await server.client.agents.register({ name })).agent;
const archive = async (agentId: string) => void (await server.client.agents.archive({ agentId }));

const CHAT = ["--type", "http_chat", "--config", "url=https://a.example.test/chat?a=b", "--config", "format=openai"];

describe("agents", () => {
  test("are registered once for a platform agent, listed, shown and renamed", async () => {
    expect(await told(["agents", "list"])).toEqual([0, expect.stringContaining("svc agents register --name")]);
    const args = ["agents", "register", "--name", "Clinic", "--platform", "platform_a", "--platform-id", "agent_1"];
    expect(await told(args)).toEqual([
      0,
      expect.stringMatching(/Registered "Clinic" \(agt_\w+\)\..*connections add agt_/),
    ]);
    expect(await told(args)).toEqual([0, expect.stringContaining('already as "Clinic"')]);
    expect(await told(["agents", "rename", "Clinic", "Practice"])).toEqual([
      0,
      expect.stringContaining('now "Practice"'),
    ]);
    expect(await told(["agents", "list", "--search", "AGENT_1"])).toEqual([
      0,
      expect.stringMatching(/^ID.*NAME\nagt_\w+ +platform_a +agent_1 +no .*Practice\n$/),
    ]);
    expect(await told(["agents", "show", "Practice"])).toEqual([
      0,
      expect.stringMatching(/^Practice\n\nId +agt_[^]*Id there +agent_1\nMonitoring +not set up/),
    ]);
  });

  test("are archived with a yes, and restored by the name that they had", async () => {
    const { id } = await register("Doomed");
    const config = { url: "https://a.example.test", format: "openai" };
    await server.client.connections.create({ agentId: id, connectionType: "http_chat", config });
    expect(await told(["agents", "archive", "Doomed"])).toEqual([2, expect.stringContaining("--yes")]);
    expect(await told(["agents", "archive", "Doomed", "--yes"])).toEqual([
      0,
      expect.stringMatching(/Archived "Doomed" .* with 1 connection; 0 runs canceled.*agents restore agt_/),
    ]);
    expect(await told(["agents", "show", id])).toEqual([0, expect.stringMatching(/^Doomed {2}archived just now\n/)]);
    const taken = await register("Doomed");
    expect(await told(["agents", "restore", "Doomed"])).toEqual([1, expect.stringContaining("choose another `name`")]);
    expect(await told(["agents", "restore", "Doomed", "--name", "Saved"])).toEqual([
      0,
      expect.stringMatching(/"Saved" \(agt_\w+\) is live.*connections list agt_\w+ --archived/),
    ]);
    const { agents } = await server.client.agents.list({ search: "doomed" });
    expect(agents.map((agent) => agent.id)).toEqual([taken.id]);
  });

  test("of one name in the archive are told apart by their ids only", async () => {
    for (let n = 0; n < 2; n++) {
      await archive((await register("Twin")).id);
    }
    expect(await told(["agents", "restore", "Twin"])).toEqual([
      1,
      expect.stringMatching(/more than one archived agent "Twin".*`svc agents list --archived`/),
    ]);
    expect(await told(["agents", "show", "Nobody"])).toEqual([
      1,
      expect.stringMatching(/no agent "Nobody".*agents list/),
    ]);
    expect(await told(["agents", "show", "agt_06ft2v8xk3n9q4w7r1y5z0abcd"])).toEqual([
      1,
      expect.stringMatching(/no "agt_\w+" that your key sees: look at `svc agents list`/),
    ]);
  });
});

describe("connections", () => {
  const add = (agent: string, args: string[], options = {}) =>
    home.json<Connection>(["connections", "add", agent, ...args], options);

  test("options show every type with its fields and where its secrets come from", async () => {
    const [exitCode, text] = await told(["connections", "options"]);
    expect(exitCode).toBe(0);
    for (const line of [
      /^platform_b_room {2}platform_b room: voice or chat, agent-dials-out, for agents of platform_b_agents$/m,
      /^ {2}--variant http_chat\.bearer$/m,
      /^ {4}--config codec=… .*\(mulaw_8k, pcm_16k\)$/m,
      /^ {4}--config model=… .*Optional\.$/m,
      /^ {4}SVC_CREDENTIAL_API_SECRET /m,
    ])
      expect(text).toMatch(line);
  });

  test("take their secrets from standard input or the environment, and never from the command line", async () => {
    const agent = await register("Secrets");
    const bearer = [...CHAT, "--variant", "bearer"];
    expect(await add(agent.id, bearer, { stdin: " key-of-file-1111\n" })).toMatchObject({
      credentialsHint: "1111",
      config: { url: "https://a.example.test/chat?a=b", format: "openai" },
    });
    const env = { SVC_CREDENTIAL_API_KEY: "key-of-env-2222" };
    const room = ["--type", "platform_b_room", "--config", "url=wss://media.example.test"];
    const two = await add(agent.id, room, { stdin: "first-key-3333\nsecond-key-4444\n" });
    expect(two).toMatchObject({ credentialsHint: "3333", modality: "voice" });
    expect(await add(agent.id, room, { env, stdin: "the-secret-only\n" })).toMatchObject({ credentialsHint: "2222" });
    const headers = await add(
      agent.id,
      [...room, "--variant", "customer_token_endpoint", "--config", "tokenEndpoint=https://t.example.test"],
      { stdin: "Authorization: Bearer token:5555\nX-Tenant: acme\n" },
    );
    expect(headers).toMatchObject({ credentialsHint: "5555" });

    expect(await told(["connections", "add", agent.id, ...bearer, "--config", "apiKey=on-the-line-9999"])).toEqual([
      2,
      expect.stringMatching(/does not belong on a command line: put apiKey into SVC_CREDENTIAL_API_KEY/),
    ]);
    expect(await told(["connections", "add", agent.id, ...room], { stdin: "only-one-key-1\n" })).toEqual([
      2,
      expect.stringMatching(/needs apiKey and apiSecret: set SVC_CREDENTIAL_API_KEY and SVC_CREDENTIAL_API_SECRET/),
    ]);
    expect(await told(["connections", "add", agent.id, ...bearer], { stdin: "short\n" })).toEqual([
      1,
      expect.stringMatching(/credential\.apiKey.*at least 8 characters/),
    ]);
    const list = await told(["connections", "list", "Secrets"]);
    expect(list).toEqual([0, expect.stringMatching(/^ID.*\ncon_[^]*http_chat\.bearer +chat +production +…1111 /)]);
    expect(list[1].trimEnd().split("\n")).toHaveLength(5);
  });

  test("say what is missing or unknown before anything is sent", async () => {
    const agent = await register("Wrong");
    const tried = (...args: string[]) => told(["connections", "add", agent.id, ...args]);
    expect(await tried("--type", "fax")).toEqual([2, expect.stringMatching(/"fax" is no type.*phone_number/)]);
    expect(await tried(...CHAT, "--variant", "x")).toEqual([
      2,
      expect.stringMatching(/http_chat\.public, http_chat\.bearer/),
    ]);
    expect(await tried(...CHAT, "--config", "colour=red")).toEqual([2, expect.stringContaining("url, format, model")]);
    expect(await tried("--type", "phone_number")).toEqual([2, expect.stringContaining("--config phoneNumber=…")]);
    expect(await tried("--type", "phone_number", "--config", "phoneNumber=110")).toEqual([
      1,
      expect.stringMatching(/--config phoneNumber: .*E\.164/),
    ]);
    expect(await told(["connections", "list", "Wrong"])).toEqual([
      0,
      expect.stringContaining("svc connections options"),
    ]);
  });

  test("are shown, edited, archived and restored by name", async () => {
    const agent = await register("Life");
    await add(agent.id, [...CHAT, "--variant", "bearer", "--name", "Main"], { stdin: "key-of-file-1111" });
    const named = ["Life", "Main"];
    const edit = (args: string[], options = {}) =>
      home.json<Connection>(["connections", "edit", ...named, ...args], options);
    expect(await edit(["--config", "model=m-1", "--environment", "staging"])).toMatchObject({
      environment: "staging",
      config: { url: "https://a.example.test/chat?a=b", format: "openai", model: "m-1" },
      credentialsHint: "1111",
    });
    expect((await edit(["--config", "model="])).config).not.toHaveProperty("model");
    expect(await edit(["--credential"], { stdin: "another-key-2222" })).toMatchObject({ credentialsHint: "2222" });
    expect(await told(["connections", "edit", ...named])).toEqual([2, expect.stringContaining("Name what to change")]);
    expect(await told(["connections", "show", ...named])).toEqual([
      0,
      expect.stringMatching(/^Main\n\nId +con_[^]*Environment +staging\nurl +https[^]*Credential +…2222/),
    ]);
    expect(await told(["connections", "archive", ...named, "--yes"])).toEqual([
      0,
      expect.stringMatching(/Archived "Main" .*svc connections restore agt_\w+ con_/),
    ]);
    expect(await told(["connections", "show", ...named])).toEqual([1, expect.stringMatching(/no connection "Main"/)]);
    expect(await told(["connections", "restore", ...named])).toEqual([0, expect.stringContaining("credential …2222")]);
    const unknown = "con_06ft2v8xk3n9q4w7r1y5z0abcd";
    expect(await told(["connections", "show", "Life", unknown])).toEqual([
      1,
      expect.stringContaining(`There is no "${unknown}" that your key sees`),
    ]);
  });
});
