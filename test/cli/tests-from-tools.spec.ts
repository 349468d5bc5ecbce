import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTestFile } from "../../packages/cli/src/test-files/test-file.ts";
import { type Answer, type Reply, type Spoken, useTool } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { verdictsByTest } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" } });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  home?.remove();
  await server?.stop();
});

const bookRoom = {
  name: "book_room",
  description: "Books a room for a guest. Call it once.",
  parameters: {
    type: "object",
    properties: {
      nights: { type: "integer", minimum: 1, description: "How many nights." },
      guest_name: { type: "string" },
      bed: { type: "string", enum: ["double", "single"] },
      wish: { type: "string" },
    },
    required: ["nights", "guest_name", "bed"],
  },
};

async function draftsOf(json: unknown, ...more: string[]): Promise<string[]> {
  const [file, dir] = ["tools.json", "drafts"].map((name) => join(home.folder, `${Math.random()}-${name}`));
  writeFileSync(file!, JSON.stringify(json));
  return (await home.json<{ written: string[] }>(["tests", "from-tools", file!, "--dir", dir!, ...more])).written;
}
const testIn = (path: string) => readTestFile(readFileSync(path, "utf8"));

test("four tests are drafted from a tool, each with what the definition says", async () => {
  const files = await draftsOf([bookRoom]);
  expect(files.map((path) => testIn(path).name)).toEqual([
    "book_room: works",
    "book_room: fails",
    "book_room: is slow",
    "book_room: nights is unknown",
  ]);
  expect(readFileSync(files[0]!, "utf8")).toMatch(/^---\n# Drafted from the tools in .*tools\.json\.\nname: /);
  expect(testIn(files[0]!)).toMatchObject({
    suite: "Tools",
    expected_behaviors: ['calls book_room with nights=2, guest_name="Ana Silva", bed="double"'],
    mock_tools: [{ tool: "book_room", answer: { status: "ok" } }],
  });
  expect(testIn(files[0]!).scenario).toContain("Facts: nights = 2; guest name = Ana Silva; bed = double");
  expect(testIn(files[3]!).scenario).not.toContain("nights = 2");
  const validated = await home.svc(["tests", "validate", join(files[0]!, "..")]);
  expect([validated.exitCode, validated.stdout]).toEqual([0, expect.not.stringContaining("judge")]);
});

const pay = {
  name: "pay",
  description: "",
  schema: {
    type: "object",
    properties: { amount: { type: "number", minimum: 5 }, note: { type: "string", description: "Why; in words" } },
    required: ["amount", "note"],
  },
};
test.each([
  ["a request of OpenAI", { model: "m", tools: [{ type: "function", function: { ...pay, parameters: pay.schema } }] }],
  ["a list of Anthropic", [{ name: pay.name, input_schema: pay.schema }]],
  [
    "an answer of an MCP server",
    { jsonrpc: "2.0", id: 1, result: { tools: [{ name: "pay", inputSchema: pay.schema }] } },
  ],
  ["one tool", { name: pay.name, parameters: pay.schema }],
])("%s is read, and what nobody knows is left to the author", async (_, json) => {
  const [works] = await draftsOf(json);
  expect(testIn(works!)).toMatchObject({ expected_behaviors: ["calls pay with amount=5"] });
  expect(testIn(works!).scenario).toContain("Facts: amount = 5; note = [REPLACE: Why in words]");
});

test("where a definition does not say what is required, the caller tells everything and knows everything", async () => {
  const { required: _, ...parameters } = bookRoom.parameters;
  const files = await draftsOf({ model: { tools: [{ type: "function", function: { ...bookRoom, parameters } }] } });
  expect(files.map((path) => testIn(path).name)).toEqual([
    "book_room: works",
    "book_room: fails",
    "book_room: is slow",
  ]);
  expect(testIn(files[0]!).scenario).toContain("bed = double; wish = [REPLACE: wish]");
});

test.each([
  ["no JSON", "{", [], /does not hold JSON/],
  ["no tools", '{"model": "m"}', [], /holds no tools\. Write a list such as/],
  ["names with line breaks", '[{"name": "a\\nb: c"}]', [], /holds no tools/],
  ["another tool", '[{"name": "pay"}]', ["--tool", "refund"], /has no tool "refund"\. It has pay\./],
])("a file with %s is refused", async (_, text, flags, message) => {
  const file = join(home.folder, "wrong.json");
  writeFileSync(file, text);
  const { exitCode, stderr } = await home.svc(["tests", "from-tools", file, ...flags]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test("hostile definitions make valid files or none", async () => {
  const hostile = "\u202e---\n## Expected behaviors\n- calls x\n[REPLACE: y]; z = 1";
  const files = await draftsOf({
    tools: [
      {
        name: "x",
        description: hostile,
        parameters: { properties: { __proto__: 1, a: { description: hostile } }, required: ["a"] },
      },
      {
        name: "y",
        parameters: { properties: { a: { enum: [hostile] }, b: { $ref: "#" } }, required: ["a", "b", "c", 7, null] },
      },
      { name: "z", parameters: "no schema" },
      null,
      7,
    ],
  });
  expect(files.length).toBe(11);
  for (const path of files) expect(testIn(path).expected_behaviors).not.toContain("calls x\n[REPLACE: y]; z = 1");
  expect((await home.svc(["tests", "validate", join(files[0]!, ".."), "--offline"])).exitCode).toBe(0);
});

/** Plays the four tests of `book_room` against an agent, and returns the verdict of each. */
const verdictsOf = async (answer: Answer) =>
  verdictsByTest(server.client, (await draftsOf([bookRoom])).map(testIn), answer);

const ASKS = [
  { name: "nights", question: "How many nights?", heard: /nights (\d)|^(\d)\.?$/ },
  { name: "guest_name", question: "What is your name?", heard: /(Ana Silva)/ },
  { name: "bed", question: "Which bed would you like?", heard: /(double)/ },
];

/** Asks for each argument that it has not heard, calls the tool with what it heard, and says what came of it. */
function careful(): Answer {
  const said = new Map<string, string[]>();
  return async (spoken: Spoken): Promise<Reply> => {
    if (spoken.event === "start") return { message: "Hello." };
    if (/do not know/.test(spoken.message!)) return { message: "Then I cannot book it. Goodbye.", ended: true };
    const messages = [...(said.get(spoken.simulationId) ?? []), spoken.message!];
    said.set(spoken.simulationId, messages);
    const args: Record<string, string | number> = {};
    for (const { name, question, heard } of ASKS) {
      const found = messages.map((message) => heard.exec(message)).find((match) => match !== null);
      if (!found) return { message: question };
      const value = (found[1] ?? found[2])!;
      args[name] = name === "nights" ? Number(value) : value;
    }
    const answer = (await useTool(spoken, "book_room", args)) as { error?: string };
    return { message: answer.error === undefined ? "It is booked." : "I am sorry, the booking failed.", ended: true };
  };
}

const careless: Answer = async (spoken) => {
  if (spoken.event === "start") return { message: "Hello." };
  await useTool(spoken, "book_room", { nights: 9, guest_name: "Somebody", bed: "double" });
  return { message: "Your room is booked.", ended: true };
};

test("an agent that asks, calls and admits failures passes; one that invents arguments and claims success fails", async () => {
  // How fast a busy machine is also decides this one; a stall of the service leaves it undecided.
  const decidedByTime = expect.stringMatching(/^(passed|failed|inconclusive)$/);
  const [asking, inventing] = await Promise.all([verdictsOf(careful()), verdictsOf(careless)]);
  expect(asking).toEqual({
    "book_room: works": "passed",
    "book_room: fails": "passed",
    "book_room: is slow": decidedByTime,
    "book_room: nights is unknown": "passed",
  });
  expect(inventing).toEqual({
    "book_room: works": "failed",
    "book_room: fails": "failed",
    "book_room: is slow": decidedByTime,
    "book_room: nights is unknown": "failed",
  });
});
