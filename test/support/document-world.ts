import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@svc/sdk";
import { vi } from "vitest";
import { main } from "../../packages/cli/src/main.ts";
import { startChatAgent } from "../../examples/chat-agent/agent.ts";
import { saveProfile } from "../../packages/cli/src/session/profile.ts";
import { openHome } from "./cli.ts";
import { openFakePlatformA } from "./platform-a/fake.ts";
import { settled } from "./runs.ts";
import { startServer } from "./server.ts";
import { until } from "./until.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Documents show this text in place of a secret. */
const SECRET_SHOWN = "svc_sk_…";

/** A command that a block of a document contains, as a shell splits it into words. */
type DocumentCommand = { words: string[]; input: string };

export type DocumentWorld = Awaited<ReturnType<typeof openDocumentWorld>>;

/**
 * Opens what the documents take for granted: a claimed service, an agent at the address of the documents, a platform, a
 * folder with the examples, and a saved profile.
 */
export async function openDocumentWorld() {
  const [agent, platform] = [await startChatAgent({ port: 0, isFixed: false }), await openFakePlatformA()];
  platform.addAgent("agent_1", "Front desk");
  const server = await startServer({ settings: { SVC_PLATFORM_A_BASE_URL: platform.url } });
  const home = openHome();
  const folder = mkdtempSync(join(tmpdir(), "svc-documents-"));
  mkdirSync(join(folder, "backups"));
  cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  writeFileSync(join(folder, "key.txt"), `${platform.apiKey}\n`);
  let client: Client;

  /** Runs `svc` in this process, because a new process starts slowly. A command with input runs in a new process. */
  async function svc({ words, input }: DocumentCommand): Promise<{ exitCode: number; printed: string }> {
    const args = await Promise.all(words.map(async (word) => actual(await withIds(word))));
    if (input !== "") {
      const { exitCode, stdout, stderr } = await home.svc(args, { stdin: input });
      return { exitCode: exitCode ?? -1, printed: stdout + stderr };
    }
    let printed = "";
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation((text) => {
        printed += String(text);
        return true;
      }),
    );
    await main(args);
    for (const spy of spies) spy.mockRestore();
    const exitCode = Number(process.exitCode ?? 0);
    process.exitCode = 0;
    return { exitCode, printed };
  }

  /** Replaces the addresses of the documents in a word of a command by those of this world. */
  const actual = (word: string) =>
    word.replaceAll("http://127.0.0.1:8080/chat", agent.url).replaceAll(/^\/backups/g, join(folder, "backups"));

  /** Replaces placeholders such as `<RUN ID>` by ids of this world. The second placeholder in a line becomes the older id. */
  async function withIds(word: string): Promise<string> {
    const [, kind, at] = /^@([A-Z_]+):(\d)$/.exec(word) ?? [];
    if (kind === undefined) return word;
    const { runs } = await client.runs.list();
    if (kind === "RUN_ID") return runs.at(Number(at) === 0 ? -1 : 0)!.id;
    if (kind === "TRACE_ID") return (await client.traces.list()).traces[0]!.traceId;
    const { simulations } = await client.runs.simulations({ runId: runs.at(-1)!.id });
    if (kind === "SIMULATION_ID") return simulations[0]!.id;
    const { grades } = (await client.simulations.get({ simulationId: simulations[0]!.id })).simulation;
    const grade = grades.find(({ id }) => id !== null);
    if (kind === "GRADE_ID") return grade!.id!;
    throw new Error(`The specs know no <${kind}>.`);
  }

  return {
    server,
    home,
    folder,
    svc,
    /** Begins a document: a new project with a run of the sample, which is also the project of the profile. */
    async begin(name: string, text: string): Promise<void> {
      const { project } = await server.admin.projects.create({ name });
      const { secret } = await server.admin.keys.create({ project_id: project.id });
      client = server.clientOf(secret);
      const { sample } = await client.sample.start({});
      await client.suites.edit({ suiteId: sample.suiteId, name: "Booking" });
      if (!text.includes('agents register --name "Front desk"'))
        await client.agents.edit({ agentId: sample.agentId, name: "Front desk" });
      const { items } = await client.tests.list();
      for (const { id, version_id } of items.filter(({ name }) => text.includes(`--name "${name}"`)))
        await client.tests.edit({ testId: id, expected_version_id: version_id, name: `${name} before` });
      const [run] = (await client.runs.list()).runs;
      await settled(client, run!.id);
      await until("a conversation in the list", async () => (await client.traces.list()).traces.length > 0);
      const keys = { apiKey: server.adminKey, projectApiKey: secret, project: project.id };
      await saveProfile("default", { url: server.url, ...keys }, home.profiles);
      for (const [variable, value] of Object.entries({
        HOME: home.folder,
        SVC_DATA_DIR: server.dataDir,
        XDG_CONFIG_HOME: "",
        SVC_URL: "",
        SVC_API_KEY: "",
      }))
        vi.stubEnv(variable, value);
      process.chdir(folder);
    },
    /** Returns the environment of a program that reads the service's address and a key of the document's project. */
    environment: () => {
      const { projectApiKey } = profile();
      return { PATH: process.env.PATH!, HOME: home.folder, SVC_URL: server.url, SVC_API_KEY: projectApiKey };
    },
    /** Returns a program's text with this world's address and key. */
    program: (text: string) =>
      text.replaceAll("http://127.0.0.1:3100", server.url).replaceAll(SECRET_SHOWN, profile().projectApiKey),
    async close(): Promise<void> {
      vi.unstubAllEnvs();
      process.chdir(ROOT);
      await server.stop();
      await platform.close();
      agent.stop();
      home.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function profile() {
    const { profiles } = JSON.parse(readFileSync(home.profiles, "utf8")) as {
      profiles: { default: { projectApiKey: string } };
    };
    return profiles.default;
  }
}

/** Records each command of a program in place of running it: `svc` and `npm`, with their input. */
const RECORDER = `
record() {
  local input=""
  if [ -f /dev/stdin ] || [ -p /dev/stdin ]; then input=$(</dev/stdin); fi
  printf '%s\\0' "$#" "$input" "$@" >> "$RECORD"
}
svc() { record svc "$@"; }
npm() { record npm "$@"; }
set -euo pipefail
`;

/** Returns the commands of a block in the order in which bash runs them. A block that uses another program throws. */
export function commandsOf(block: string, folder: string): DocumentCommand[] {
  const record = join(folder, ".record");
  writeFileSync(record, "");
  const placed = block
    .split("\n")
    .map((line) => {
      let count = 0;
      return line.replaceAll(/<([A-Z]+ ID)>/g, (_, kind: string) => `@${kind.replace(" ", "_")}:${count++}`);
    })
    .join("\n");
  const { status, stderr } = spawnSync("/bin/bash", ["--norc", "-c", RECORDER + placed], {
    cwd: folder,
    // With an empty PATH, bash finds no other program.
    env: { PATH: "", RECORD: record },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Mark the block: bash ended with ${status}: ${stderr}`);
  const fields = readFileSync(record, "utf8").split("\0").slice(0, -1);
  const commands: DocumentCommand[] = [];
  while (fields.length > 0) {
    const [count, input] = fields.splice(0, 2);
    commands.push({ words: fields.splice(0, Number(count)), input: input! });
  }
  return commands;
}
