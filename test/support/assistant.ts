import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import { fileOf } from "./code/programs.ts";
import type { TestServer } from "./server.ts";
import { freshName } from "./world.ts";

const ANSWER_BYTES = 8_000;

export type Permissions = ("read" | "test" | "write")[];
export type Way = "stdio" | "http";
export type Assistant = Awaited<ReturnType<typeof startAssistant>>;

/**
 * The options of an assistant, a client of the Model Context Protocol. `folder` is where `svc mcp` runs; without it the assistant
 * uses HTTP.
 */
type AssistantOptions = {
  folder?: string | undefined;
  permissions?: Permissions;
  /** The project of the API key; a new project by default. */
  projectId?: string;
  protocol?: "auto";
};

/** Connects the official client of the protocol, with an API key of one project. */
export async function startAssistant(
  server: TestServer,
  { folder, permissions = ["write"], projectId, protocol }: AssistantOptions = {},
) {
  const project = projectId ?? (await server.admin.projects.create({ name: freshName("project") })).project.id;
  const { secret } = await server.admin.keys.create({ project_id: project, permissions });
  const { secret: writes } = await server.admin.keys.create({ project_id: project, permissions: ["write"] });
  const client = new Client(
    { name: "spec", version: "0" },
    protocol === undefined ? {} : { versionNegotiation: { mode: protocol } },
  );
  await client.connect(folder === undefined ? overHttp(server.url, secret) : overStdio(server.url, secret, folder));
  let calls = 0;
  return {
    client,
    secret,
    project,
    svc: server.clientOf(writes),
    calls: () => calls,
    /** Calls a tool. Fails if the answer is too large, or if its text repeats its structured value. */
    async call<T = Record<string, never>>(name: string, args: Record<string, unknown>): Promise<T & { text: string }> {
      calls += 1;
      const result = await client.callTool({ name, arguments: args });
      const text = (result.content as { text: string }[])[0]!.text;
      if (result.isError) throw new Error(text);
      expect(Buffer.byteLength(JSON.stringify(result)), `the answer of ${name}`).toBeLessThanOrEqual(ANSWER_BYTES);
      return { ...(result.structuredContent as T), text };
    },
  };
}

export const overHttp = (url: string, apiKey: string, query = "") =>
  new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });

const overStdio = (url: string, apiKey: string, folder: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [fileOf("svc"), "mcp"],
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, SVC_URL: url, SVC_API_KEY: apiKey },
    stderr: "ignore",
  });
