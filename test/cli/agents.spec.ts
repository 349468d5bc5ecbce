import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

type Connection = { id: string; config: object; credentialsHint: string | null; environment: string };

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

const outcomeOf = async (args: string[], options = {}) => {
  const { exitCode, stdout, stderr } = await home.svc(args, options);
  return [exitCode, exitCode === 0 ? stdout : stderr] as const;
};
const register = async (name: string) => (await server.client.agents.register({ name })).agent;
const archive = async (agentId: string) => void (await server.client.agents.archive({ agentId }));

const CHAT = ["--type", "http_chat", "--config", "url=https://a.example.test/chat?a=b", "--config", "format=openai"];

describe("agents", () => {
  test("agents are registered once for each agent of a platform, listed, shown and renamed", async () => {
    expect(await outcomeOf(["agents", "list"])).toEqual([0, expect.stringContaining("svc agents register --name")]);
    const args = ["agents", "register", "--name", "Clinic", "--platform", "platform_a", "--platform-id", "agent_1"];
    expect(await outcomeOf(args)).toEqual([
      0,
      expect.stringMatching(/Registered "Clinic" \(agt_\w+\)\..*connections add agt_/),
    ]);
    expect(await outcomeOf(args)).toEqual([0, expect.stringContaining('already registered as "Clinic"')]);
    expect(await outcomeOf(["agents", "rename", "Clinic", "Practice"])).toEqual([
      0,
      expect.stringContaining('now "Practice"'),
    ]);
    expect(await outcomeOf(["agents", "list", "--search", "AGENT_1"])).toEqual([
      0,
      expect.stringMatching(/^NAME .*ID\nPractice +Retell +agent_1 +no .* agt_\w+\n$/),
    ]);
    expect(await outcomeOf(["agents", "show", "Practice"])).toEqual([
      0,
      expect.stringMatching(/^Practice\n\nId +agt_[^]*Platform id +agent_1\nMonitoring +not set up/),
    ]);
  });

  test("agents are archived after a confirmation, and restored by their old name", async () => {
    const { id } = await register("Doomed");
    const config = { url: "https://a.example.test", format: "openai" };
    await server.client.connections.create({ agentId: id, connectionType: "http_chat", config });
    expect(await outcomeOf(["agents", "archive", "Doomed"])).toEqual([2, expect.stringContaining("--yes")]);
    expect(await outcomeOf(["agents", "archive", "Doomed", "--yes"])).toEqual([
      0,
      expect.stringMatching(/Archived "Doomed" .* with 1 connection; 0 runs canceled.*agents restore agt_/),
    ]);
    expect(await outcomeOf(["agents", "show", id])).toEqual([
      0,
      expect.stringMatching(/^Doomed {2}archived just now\n/),
    ]);
    const taken = await register("Doomed");
    expect(await outcomeOf(["agents", "restore", "Doomed"])).toEqual([
      1,
      expect.stringContaining("choose another `name`"),
    ]);
    expect(await outcomeOf(["agents", "restore", "Doomed", "--name", "Saved"])).toEqual([
      0,
      expect.stringMatching(/"Saved" \(agt_\w+\) is live.*connections list agt_\w+ --archived/),
    ]);
    const { agents } = await server.client.agents.list({ search: "doomed" });
    expect(agents.map((agent) => agent.id)).toEqual([taken.id]);
  });

  test("agents are restored by id when two archived agents have the same name", async () => {
    for (let n = 0; n < 2; n++) {
      await archive((await register("Twin")).id);
    }
    expect(await outcomeOf(["agents", "restore", "Twin"])).toEqual([
      1,
      expect.stringMatching(
        /More than one archived agent has the name "Twin"\. Use an id from `svc agents list --archived`/,
      ),
    ]);
    expect(await outcomeOf(["agents", "show", "Nobody"])).toEqual([
      1,
      expect.stringMatching(/no agent "Nobody".*agents list/),
    ]);
    expect(await outcomeOf(["agents", "show", "agt_06ft2v8xk3n9q4w7r1y5z0abcd"])).toEqual([
      1,
      expect.stringMatching(/no "agt_\w+" that your key can read\. See `svc agents list`/),
    ]);
  });
});

describe("connections", () => {
  const add = (agent: string, args: string[], options = {}) =>
    home.json<Connection>(["connections", "add", agent, ...args], options);

  test("connections have options that show every type with its fields and the sources of its secrets", async () => {
    const [exitCode, text] = await outcomeOf(["connections", "options"]);
    expect(exitCode).toBe(0);
    for (const line of [
      /^platform_b_room {2}LiveKit Agents room: voice or chat, agent-dials-out, for agents of LiveKit Agents$/m,
      /^ {2}Simulations play text and mock tools\. With the format `openai`/m,
      /^ {2}Simulations play speech, interruptions and mock tools/m,
      /^platform_a_web_call .*\n {2}Simulations play speech and interruptions, and measure times as heard. The platform runs/m,
      /^ {2}--variant http_chat\.bearer$/m,
      /^ {4}--config codec=… .*\(mulaw_8k, pcm_16k\)$/m,
      /^ {4}--config model=… .*Optional\.$/m,
      /^ {4}SVC_CREDENTIAL_API_SECRET /m,
    ])
      expect(text).toMatch(line);
  });

  test("connections read their secrets from standard input or the environment, and never from the command line", async () => {
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

    expect(await outcomeOf(["connections", "add", agent.id, ...bearer, "--config", "apiKey=on-the-line-9999"])).toEqual(
      [2, expect.stringMatching(/apiKey is a secret, .*\. Set SVC_CREDENTIAL_API_KEY/)],
    );
    expect(await outcomeOf(["connections", "add", agent.id, ...room], { stdin: "only-one-key-1\n" })).toEqual([
      2,
      expect.stringMatching(/needs apiKey and apiSecret\. Set SVC_CREDENTIAL_API_KEY and SVC_CREDENTIAL_API_SECRET/),
    ]);
    expect(await outcomeOf(["connections", "add", agent.id, ...bearer], { stdin: "short\n" })).toEqual([
      1,
      expect.stringMatching(/^The credential's apiKey: Use at least 8 characters\. See `svc connections add --help`/),
    ]);
    const list = await outcomeOf(["connections", "list", "Secrets"]);
    expect(list).toEqual([
      0,
      expect.stringMatching(
        /^NAME .*ID\n[^]*HTTP chat endpoint +http_chat\.bearer +chat +production +…1111 .* con_\w+\n/,
      ),
    ]);
    expect(list[1].trimEnd().split("\n")).toHaveLength(5);
  });

  test("connections are refused with missing or unknown fields before anything is sent", async () => {
    const agent = await register("Wrong");
    const tried = (...args: string[]) => outcomeOf(["connections", "add", agent.id, ...args]);
    expect(await tried("--type", "fax")).toEqual([
      2,
      expect.stringMatching(/"fax" is not a connection type\..*phone_number/),
    ]);
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
    expect(await outcomeOf(["connections", "list", "Wrong"])).toEqual([
      0,
      expect.stringContaining("svc connections options"),
    ]);
  });

  test("connections are shown, edited, archived and restored by name", async () => {
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
    const moved = ["connections", "edit", ...named, "--config", "url=https://elsewhere.example.test/chat"];
    expect((await home.svc(moved)).stderr).toMatch(
      /The credential's apiKey: The new address is on another host\. Enter/,
    );
    expect(
      await home.json(["connections", "edit", ...named, "--config", "url=https://a.example.test/v2"]),
    ).toMatchObject({
      config: { url: "https://a.example.test/v2" },
    });
    expect(await outcomeOf(["connections", "edit", ...named])).toEqual([
      2,
      expect.stringContaining("Nothing to change. Set --name"),
    ]);
    expect(await outcomeOf(["connections", "show", ...named])).toEqual([
      0,
      expect.stringMatching(/^Main\n\nId +con_[^]*Environment +staging\nurl +https[^]*Credential +…2222/),
    ]);
    expect(await outcomeOf(["connections", "archive", ...named, "--yes"])).toEqual([
      0,
      expect.stringMatching(/Archived "Main" .*svc connections restore agt_\w+ con_/),
    ]);
    expect(await outcomeOf(["connections", "show", ...named])).toEqual([
      1,
      expect.stringMatching(/no connection "Main"/),
    ]);
    expect(await outcomeOf(["connections", "restore", ...named])).toEqual([
      0,
      expect.stringContaining("credential …2222"),
    ]);
    const unknown = "con_06ft2v8xk3n9q4w7r1y5z0abcd";
    expect(await outcomeOf(["connections", "show", "Life", unknown])).toEqual([
      1,
      expect.stringContaining(`There is no "${unknown}" that your key can read`),
    ]);
  });

  test("a new connection is tried and stays when it does not work, and the exit code is 1", async () => {
    const agent = await register("Tried");
    const nowhere = ["--type", "http_chat", "--config", "url=http://127.0.0.1:9/", "--config", "format=svc"];
    const added = await home.svc(["connections", "add", agent.id, ...nowhere, "--name", "Nowhere"]);
    expect([added.exitCode, added.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^Added Nowhere\n[^]*\nSimulations play text and mock tools\.[^]*\nDoes not work\. 127\.0\.0\.1:9 could not be reached: check[^]*✗ connect [^]*\nThe connection is kept\. Correct it with `svc connections edit agt_/,
      ),
    ]);
    const nowhereToo = await home.svc(["connections", "add", agent.id, ...nowhere, "--name", "Untried", "--no-try"]);
    expect(nowhereToo.exitCode).toBe(0);
    const sample = await add(agent.id, ["--type", "sample_agent", "--name", "Sample"]);
    expect(sample).toMatchObject({ plays: { text: true, speech: false }, try: { result: "works" } });
    expect(await add(agent.id, ["--type", "sample_agent", "--no-try"])).toMatchObject({ try: null });
  });

  test("a connection is tried by name, and the exit code says whether it works", async () => {
    expect(await outcomeOf(["connections", "try", "Tried", "Sample", "--message", "I need a room."])).toEqual([
      0,
      expect.stringMatching(
        /^Works\. The agent answered after \d+ ms\.\n {2}✓ prepare[^]*\n {2}agent: Grand Hotel[^]*\n {2}caller: I need a room\.\n {2}agent: /,
      ),
    ]);
    const { exitCode, stdout } = await home.svc(["connections", "try", "Tried", "Nowhere"]);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^Does not work\. [^]*✓ prepare[^]*✗ connect/)]);
  });
});
