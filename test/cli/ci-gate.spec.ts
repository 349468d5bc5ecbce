import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileOf } from "../support/code/programs.ts";
import { type BookingAgent, createBookingAgent } from "../../packages/server/src/runs/lines/sample-agent.ts";
import { startChatAgent, useTool } from "../support/chat-agent.ts";
import { openHome } from "../support/cli.ts";
import { shareServer } from "../support/shared-server.ts";
import { unknownId } from "../support/world.ts";
import { freePort } from "../support/worker-service.ts";
import { parseXml } from "../support/xml.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/ci-gate", import.meta.url));

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "svc-gate-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function gate(variables: Record<string, string>): Promise<{ exitCode: unknown; said: string; printed: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_CACHE_HOME: fileURLToPath(new URL("../../node_modules/.cache", import.meta.url)),
    TMPDIR: folder,
    PORT: String(await freePort()),
    SVC_WEB_PORT: "0",
    SVC: `${process.execPath} ${fileOf("svc")}`,
    TESTS: join(EXAMPLE, "tests"),
    ...variables,
  };
  const child = spawn(join(EXAMPLE, "gate.sh"), { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let [said, printed] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  return { exitCode, said, printed };
}

/** Returns the path and the text of every file below a folder. */
const contentOf = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), "utf8")])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));

test.each([
  [{}, "Set AGENT_URL to the chat endpoint of the agent, or AGENT_COMMAND"],
  [{ AGENT_URL: "http://127.0.0.1:9/", TESTS: "nowhere" }, "There is no nowhere. Set TESTS"],
  [{ AGENT_URL: "http://127.0.0.1:9/", SVC: "false" }, "The service did not start."],
])("the gate refuses %j with 3 and a sentence, because 1 and 2 are verdicts", async (variables, sentence) => {
  const { exitCode, said } = await gate(variables);
  expect([exitCode, said]).toEqual([3, expect.stringContaining(sentence)]);
  expect(said).not.toMatch(/unbound|line \d+:/);
});

test("tests that were pulled from one service pass the gate's own empty service, with nested folders and what the files say about runs", async () => {
  const conversations = new Map<string, BookingAgent>();
  const agent = await startChatAgent((spoken) => {
    const conversation = conversations.get(spoken.simulationId) ?? createBookingAgent();
    conversations.set(spoken.simulationId, conversation);
    if (spoken.event === "start") return { message: conversation.greeting };
    return conversation.answer(spoken.message!, async (name, args) => {
      const { result = null, error = null } = (await useTool(spoken, name, args)) as {
        result?: unknown;
        error?: string;
      };
      return { result, error };
    });
  });
  const server = await shareServer();
  const home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  try {
    const authored = join(folder, "authored");
    cpSync(join(EXAMPLE, "tests"), authored, { recursive: true });
    const example = readFileSync(join(authored, "books-a-room.md"), "utf8");
    const pushed = await home.svc(["tests", "push", authored, "--suite", "Booking"]);
    expect(pushed.exitCode, pushed.stderr).toBe(0);
    const tests = join(folder, "tests");
    expect((await home.svc(["tests", "pull", tests])).stdout).toMatch(/new +.*books-a-room\.md\n1 test, 0 unchanged/);

    mkdirSync(join(tests, "desk", "deep"), { recursive: true });
    const named = (name: string, front: string) => example.replace(/^name: .*$/m, `name: ${name}\n${front}`);
    writeFileSync(
      join(tests, "desk", "twice.md"),
      named("Books twice", "agent: Front desk\niterations: 2\nrequire: 1/2\ntags: [smoke]"),
    );
    const formerIds = `id: ${unknownId("tst")}\nversion_id: ${unknownId("tstv")}`;
    writeFileSync(join(tests, "desk", "deep", "former.md"), named("Books as before", formerIds));
    const before = contentOf(tests);
    const junit = join(folder, "result.xml");
    const { exitCode, said, printed } = await gate({
      TESTS: tests,
      JUNIT: junit,
      AGENT_URL: agent.url,
      AGENT_FORMAT: "svc",
    });
    expect([exitCode, said]).toEqual([0, expect.stringContaining("passed        Books a room")]);
    expect(said).toMatch(/Created by its name: its test tst_\w+ is not at this service/);
    expect(printed).toMatch(/Page +http:\/\/127\.0\.0\.1:\d+\/o\/org_\w+\/p\/[\w-]+\/runs\/run_/);
    const suites = parseXml(readFileSync(junit, "utf8")).children;
    expect(suites.map(({ attributes: { name, tests, failures, errors } }) => [name, tests, failures, errors])).toEqual([
      ["agent", "2", "0", "0"],
      ["Front desk", "1", "0", "0"],
    ]);
    expect(contentOf(tests)).toEqual(before);
  } finally {
    agent.stop();
    home.remove();
    await server.stop();
  }
});
