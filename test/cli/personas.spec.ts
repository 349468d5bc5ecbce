import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { openHome } from "../support/cli.ts";
import { startServer, type TestServer } from "../support/server.ts";

type Listed<T = Record<string, unknown>> = { items: T[]; more: boolean };
type Persona = { id: string; name: string; version: number; versionId: string; traits: object; models: object };

let server: TestServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const create = (name: string, ...more: string[]) => home.json<Persona>(["personas", "create", "--name", name, ...more]);

/** Runs a command line that is refused before it reaches the service. Runs it in this process, which is faster. */
async function refusalOf(args: string[]): Promise<[exitCode: unknown, text: string]> {
  const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await main(args);
  const text = printed.mock.calls.map(([text]) => String(text)).join("");
  printed.mockRestore();
  const { exitCode } = process;
  process.exitCode = undefined;
  return [exitCode, text];
}

describe("personas", () => {
  test("personas get each trait from an option", async () => {
    const options =
      "--language pt-BR --accent brazilian --emotion anxious --pace fast --noise car:high --interruptions often --patience low --confirmation repeats --disfluency some --llm small --speed 1.2 --volume 0.8";
    const made = await create("Traveller", "--personality", "Calls from the road.", ...options.split(" "));
    expect(made).toMatchObject({
      version: 1,
      traits: {
        personality: "Calls from the road.",
        language: "pt-BR",
        accent: "brazilian",
        emotion: "anxious",
        pace: "fast",
        backgroundNoise: { kind: "car", level: "high" },
        interruptionStyle: "often",
        patience: "low",
        confirmationStyle: "repeats",
        disfluency: "some",
      },
      models: { llm: "small", speed: 1.2, volume: 0.8 },
    });
    expect((await home.svc(["personas", "show", "Traveller"])).stdout).toMatch(
      /Traveller {2}version 1[^]*Background noise +car, high[^]*Speed +1\.2/,
    );
  });

  test("a sample of a persona's voice is saved to a new file", async () => {
    const file = join(home.folder, "hurried.wav");
    const { exitCode, stdout, stderr } = await home.svc(["personas", "sample", "hurried", "--save", file]);
    expect([exitCode, stdout, stderr]).toEqual([0, "", `The sample of "hurried" is in ${file}.\n`]);
    expect(readFileSync(file).toString("latin1", 0, 4)).toBe("RIFF");
  });

  test("a sample without a use is refused, and the message names both uses", async () => {
    expect(await refusalOf(["personas", "sample", "hurried"])).toEqual([
      2,
      expect.stringContaining("--play or --save <file>"),
    ]);
  });

  test("personas are copied through a file or a pipe in the form that `show --json` prints", async () => {
    const shown = (await home.svc(["personas", "show", "angry", "--json"])).stdout;
    const file = join(home.folder, "angry.json");
    writeFileSync(file, shown);
    const fromFile = await create("From a file", "--from", file, "--patience", "high");
    const { traits } = JSON.parse(shown) as Persona;
    expect(fromFile.traits).toEqual({ ...traits, patience: "high" });
    const piped = await home.svc(["personas", "create", "--from", "-", "--json"], {
      stdin: JSON.stringify({ name: "Piped", traits }),
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ name: "Piped", traits });
    const taken = await home.svc(["personas", "create", "--from", "-"], { stdin: shown });
    expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining("ships with the service")]);
  });

  test("personas are edited from their current version, keep values without a flag, and lose unset values", async () => {
    const { versionId: first } = await create("Edited", "--pace", "slow", "--patience", "low");
    const edited = await home.svc(["personas", "edit", "Edited", "--unset", "pace", "--disfluency", "some"]);
    expect([edited.exitCode, edited.stdout]).toEqual([0, expect.stringContaining("at version 2")]);
    const { items } = await home.json<Listed<Persona & { current: boolean }>>(["personas", "versions", "Edited"]);
    expect(items.map(({ version, current, traits }) => [version, current, traits])).toEqual([
      [2, true, { patience: "low", disfluency: "some" }],
      [1, false, { pace: "slow", patience: "low" }],
    ]);
    expect((await home.svc(["personas", "show", first])).stdout).toMatch(/version 1, not current[^]*Pace +slow/);
    const stale = await home.svc(["personas", "edit", "Edited", "--pace", "fast", "--expected-version", first]);
    expect([stale.exitCode, stale.stderr]).toEqual([
      1,
      expect.stringMatching(`current version is ${items[0]!.id}, not ${first}\\..*svc personas show`),
    ]);
  });

  test("personas are forked, archived and restored by name", async () => {
    expect((await home.svc(["personas", "fork", "calm", "--name", "Calmer"])).stdout).toContain('Created "Calmer"');
    expect((await home.svc(["personas", "archive", "Calmer"])).stdout).toContain("svc personas restore prs_");
    expect((await home.svc(["personas", "show", "Calmer"])).stderr).toContain("svc personas list");
    expect((await home.svc(["personas", "list", "--archived"])).stdout).toContain("Calmer");
    expect((await home.svc(["personas", "restore", "Calmer"])).stdout).toContain("is live");
    const shipped = await home.svc(["personas", "archive", "calm"]);
    expect([shipped.exitCode, shipped.stderr]).toEqual([1, expect.stringContaining("Fork it")]);
  });

  test("a project's personas are listed before the ones that ship with the service, and the list marks the default", async () => {
    await create("Regular");
    expect((await home.svc(["personas", "default"])).stdout).toContain('"calm"');
    expect((await home.svc(["personas", "default", "Regular"])).stdout).toContain('"Regular"');
    const { stdout } = await home.svc(["personas", "list"]);
    expect(stdout).toMatch(
      /NAME +SOURCE +VERSION +ID[^]*Regular \(default\) +own +1 +prs_[^]*calm +shipped +1 +prs_\w+ +Even-tempered/,
    );
    expect((await home.json<Listed>(["personas", "list", "--limit", "2"])).more).toBe(true);
    expect((await home.svc(["personas", "list", "--search", "nobody"])).stdout).toContain("No personas match");
  });

  test("personas are used by the tests that `usage` lists", async () => {
    const none = await home.svc(["personas", "usage", "hurried"]);
    expect(none.stdout).toContain('--persona "hurried"');
    const test = ["tests", "create", "--name", "Named", "--scenario", "x", "--behavior", "y", "--persona", "hurried"];
    const { id } = await home.json<{ id: string }>(test);
    expect((await home.svc(["personas", "usage", "hurried"])).stdout).toMatch(new RegExp(`${id}  tstv_\\w+  Named`));
  });

  test.each([
    [["create", "--pace", "slow"], "--name"],
    [["create", "--name", "x", "--tts", "openai"], "provider/model"],
    [["create", "--name", "x", "--speed", "quick"], "is not a number"],
    [["create", "--from", "/nowhere.json"], "/nowhere.json does not exist"],
    [["edit", "calm"], "Nothing to change. Set --"],
    [["edit", "calm", "--unset", "everything"], "--unset"],
  ])("personas are refused for %j, and the message says what to do", async (args, message) => {
    expect(await refusalOf(["personas", ...args])).toEqual([2, expect.stringContaining(message)]);
  });

  test("personas are refused with the name of the wrong trait and the reason", async () => {
    const pace = await home.svc(["personas", "create", "--name", "x", "--pace", "breakneck"]);
    expect([pace.exitCode, pace.stderr]).toEqual([1, expect.stringContaining("--pace: One of slow, normal, fast.")]);
    const emotion = await home.svc(["personas", "create", "--name", "x", "--tts", "openai/tts-1", "--emotion", "sad"]);
    expect([emotion.exitCode, emotion.stderr]).toEqual([1, expect.stringMatching(/emotion.*accept no instructions/)]);
  });
});

describe("mock tools", () => {
  test("mock tools are created, shown, edited, listed and deleted", async () => {
    const empty = await home.svc(["mock-tools", "list"]);
    expect(empty.stdout).toContain("svc mock-tools create");
    const answer = join(home.folder, "slots.json");
    writeFileSync(answer, '{"slots": ["10:00"]}');
    const args = ["mock-tools", "create", "--tool", "find_slots", "--answer", `@${answer}`, "--delay-ms", "20"];
    const { id } = await home.json<{ id: string }>(args);
    expect((await home.svc(["mock-tools", "list"])).stdout).toContain(
      `find_slots  every agent  answers {"slots":["10:00"]} after 20 ms  ${id}`,
    );
    expect((await home.svc(["mock-tools", "show", id])).stdout).toMatch(
      /Answer +{\n +"slots"[^]*Delay +20 ms\nAgents +every agent/,
    );
    await server.client.agents.register({ name: "Front desk" });
    const edited = await home.svc(["mock-tools", "edit", id, "--error", "down", "--agent", "Front desk"]);
    expect(edited.stdout).toContain(", for 1 agent: fails: down after 20 ms");
    const conditioned = await home.svc(["mock-tools", "edit", id, "--succeeds-when", "free = true"]);
    expect(conditioned.stdout).toContain("fails: down after 20 ms, succeeds when free = true");
    expect((await home.svc(["mock-tools", "show", id])).stdout).toMatch(/Succeeds when +free = true\n/);
    expect(await home.json(["mock-tools", "edit", id, "--no-condition"])).not.toHaveProperty("succeedsWhen");
    const unread = await home.svc(["mock-tools", "edit", id, "--succeeds-when", "all is well"]);
    expect([unread.exitCode, unread.stderr]).toEqual([1, expect.stringContaining("--succeeds-when: The condition")]);
    expect(await home.json(["mock-tools", "edit", id, "--every-agent"])).toMatchObject({ agentIds: [], error: "down" });
    const asked = await home.svc(["mock-tools", "delete", id]);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await home.svc(["mock-tools", "delete", id, "--yes"])).stdout).toContain(
      'Deleted the mock tool "find_slots"',
    );
    expect((await home.svc(["mock-tools", "show", id])).stderr).toContain("svc mock-tools list");
  });

  test.each([
    [["create", "--tool", "x"], "--answer with JSON"],
    [["create", "--tool", "x", "--answer", "{"], "--answer is not JSON"],
    [["create", "--tool", "x", "--answer", "{a: 1}"], "names and texts in double quotes, such as"],
    [["create", "--tool", "x", "--answer", "12345678901234567890"], "change this number. Write it in quotes"],
    [["create", "--tool", "x", "--answer", "@/nowhere.json"], "/nowhere.json does not exist. Check the path."],
    [["create", "--tool", "x", "--answer", "1", "--error", "y"], "--error"],
    [["edit", "mck_x"], "Nothing to change. Set --"],
  ])("mock tools are refused for %j, and the message says what to do", async (args, message) => {
    expect(await refusalOf(["mock-tools", ...args])).toEqual([2, expect.stringContaining(message)]);
  });
});
