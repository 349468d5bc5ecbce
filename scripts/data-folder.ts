// Writes a data folder of a checkout's version as a fixture, which later versions must be able to open. Run it before a release:
//   npm run fixture:data-folder [-- CHECKOUT]
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { FOLDER_KEYS, FOLDERS } from "../test/support/old-folders.ts";
import { conversation } from "../test/support/production.ts";
import { requestOf } from "../test/support/ingest.ts";
import type { OtlpRequest } from "../test/support/otlp.ts";
import { keysIn } from "../test/support/secret.ts";

const { args } = new Command("fixture:data-folder")
  .description("Writes a data folder of a checkout's version as a fixture.")
  .argument("[checkout]", "a checkout with its installed packages; this one by default")
  .parse();
const checkout = resolve(args[0] ?? ".");
const migrations = readdirSync(join(checkout, "packages/server/migrations")).sort();
const fixture = join(FOLDERS, `${migrations.at(-1)!.replace(/\.sql$/, "")}.tar.gz`);

const folder = mkdtempSync(join(tmpdir(), "svc-fixture-"));
const service = spawn(
  process.execPath,
  [join(checkout, "packages/cli/bin/svc.js"), "serve", "--port", "0", "--data-dir", folder],
  { env: { ...FOLDER_KEYS, HOME: folder, LOG_LEVEL: "silent" }, stdio: ["ignore", "ignore", "pipe"] },
);
let said = "";
for await (const text of service.stderr.setEncoding("utf8")) if (/health .*\n/.test((said += String(text)))) break;
service.stderr.resume();
const url = /health +(\S+)\/health/.exec(said)![1]!;

const agent = await post<{ agent: { id: string } }>("/v1/agents", { name: "Front desk", agentPlatform: "custom" });
await post(`/v1/agents/${agent.agent.id}/connections`, {
  name: "Chat",
  connectionType: "http_chat",
  accessVariant: "http_chat.bearer",
  config: { url: "https://agent.example.test/chat", format: "openai" },
  credential: { apiKey: "a-key-of-theirs-1234" },
});
await post("/api/tests", {
  name: "Moves an appointment",
  scenario: "A caller wants to move an appointment.",
  expected_behaviors: ["Confirms the new time."],
});
await post("/v1/mock-tools", { tool: "look_up", answer: { free: true } });
await post("/v1/traces", ofTelephoneCall(requestOf(conversation(1, "I am fine."))));
await until(async () => ((await get("/v1/traces")) as { traces: unknown[] }).traces.length === 1);

service.kill("SIGTERM");
await once(service, "exit");
mkdirSync(FOLDERS, { recursive: true });
const names = readdirSync(folder).filter((name) => !name.startsWith(".") && name !== "lock.db");
execFileSync("tar", ["-czf", fixture, "--owner=0", "--group=0", "-C", folder, ...names]);
rmSync(folder, { recursive: true });
console.log(fixture);

/** Returns the request with the version of its service and an id of SIP, as a worker sends them. */
function ofTelephoneCall({ resourceSpans = [] }: OtlpRequest): OtlpRequest {
  const attributes = [{ key: "service.version", value: { stringValue: "41" } }];
  for (const span of resourceSpans[0]!.scopeSpans![0]!.spans!)
    span.attributes = [...(span.attributes ?? []), { key: "lk.sip.callID", value: { stringValue: "SCL_1" } }];
  return { resourceSpans: resourceSpans.map((spans) => ({ ...spans, resource: { attributes } })) };
}

async function get(path: string): Promise<unknown> {
  return (await ask(path)).json();
}

async function post<T>(path: string, body: unknown): Promise<T> {
  return (await (await ask(path, { method: "POST", body: JSON.stringify(body) })).json()) as T;
}

async function ask(path: string, request: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${keysIn(FOLDER_KEYS).projectKey}`,
    "content-type": "application/json",
  };
  const answer = await fetch(`${url}${path}`, { ...request, headers });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function until(probe: () => Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 100));
}
