import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type BookingAgent, createBookingAgent } from "../../packages/server/src/runs/lines/sample-agent.ts";
import { startChatAgent, useTool } from "../support/chat-agent.ts";
import { freePort } from "../support/worker-service.ts";
import { parseXml } from "../support/xml.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/ci-gate", import.meta.url));
const SVC = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));

test("the gate of the example runs its tests against an agent, writes JUnit, and leaves the checkout unchanged", async () => {
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
  const folder = mkdtempSync(join(tmpdir(), "svc-gate-"));
  const before = readFileSync(join(EXAMPLE, "tests", "books-a-room.md"), "utf8");
  try {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      XDG_CACHE_HOME: fileURLToPath(new URL("../../node_modules/.cache", import.meta.url)),
      TMPDIR: folder,
      PORT: String(await freePort()),
      SVC_WEB_PORT: "0",
      SVC: `${process.execPath} ${SVC}`,
      TESTS: join(EXAMPLE, "tests"),
      JUNIT: join(folder, "result.xml"),
      AGENT_URL: agent.url,
      AGENT_FORMAT: "svc",
    };
    const child = spawn(join(EXAMPLE, "gate.sh"), { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    expect([exitCode, said]).toEqual([0, expect.stringContaining("passed        Books a room")]);
    const report = parseXml(readFileSync(env.JUNIT, "utf8"));
    expect(report.children[0]!.attributes).toMatchObject({ tests: "1", failures: "0", errors: "0", skipped: "0" });
    expect(readFileSync(join(EXAMPLE, "tests", "books-a-room.md"), "utf8")).toBe(before);
  } finally {
    agent.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
