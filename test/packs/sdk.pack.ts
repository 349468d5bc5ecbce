import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/server.ts";
import { NODE_PACKAGE, openProject, pack, type Project } from "./project.ts";

// scripts/batteries.ts says what the gate leaves out.
const IS_GATE = process.env["SPEC_SCOPE"] === "gate";

const CONSUMER = `
import { type Answer, assertPassed, type Client, createClient, followRun, type Input, type Operations, pages, playRun, SvcError } from "@svc/sdk";

const [baseUrl, apiKey] = process.argv.slice(2) as [string, string];
const client: Client = createClient({ baseUrl, apiKey });
const input: Input<Operations["tests"]["create"]> = { name: "From " + process.versions.node, scenario: "s", expected_behaviors: ["says /hello/i"] };
const test: Answer<Operations["tests"]["create"]> = await client.tests.create(input);
const names: string[] = [];
for await (const { name } of pages(client.tests.list, { limit: 1 })) names.push(name);
for await (const { agentPlatform } of pages(client.agents.list)) names.push(agentPlatform satisfies string);
const { suite, agent } = JSON.parse(process.argv[4]!) as { suite: string; agent: string };
const played = await playRun(client, { suite, agent, signal: AbortSignal.timeout(60_000) });
let message = "";
try { assertPassed(played); } catch (error) { message = (error as Error).message; }
let events = 0;
for await (const { kind } of followRun(client, played.run.id)) events += kind === "grade" ? 1 : 0;
const code = await client.tests.get({ testId: "tst_x" }).catch((error: unknown) => error instanceof SvcError && error.code);
// @ts-expect-error: the input has no such member.
void (() => client.tests.create({ ...input, scenari: "typo" }));
// @ts-expect-error: a number is no text.
void (() => client.agents.list({ pageSize: "2" }));
// @ts-expect-error: the operation does not answer in pages.
void (() => pages(client.tests.get, { testId: test.id }));
console.log(JSON.stringify({ version: process.versions.node, names, message, events, code }));
`;

const TYPES = { compilerOptions: { strict: true, skipLibCheck: false, target: "ES2022", rootDir: ".", outDir: "out" } };

const ROOT = join(import.meta.dirname, "../..");

const DOCUMENTS = ["README.md", "packages/sdk/README.md", ...globSync("docs/*.md", { cwd: ROOT })];

/**
 * Writes the TypeScript snippets of the documents about the SDK into a project, either those for Vitest or all others. Returns the
 * files.
 */
function writeSnippets({ write }: Project, forVitest: boolean): string[] {
  const text = DOCUMENTS.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  const snippets = [...text.matchAll(/^```ts\n([^]+?)^```$/gm)].map(([, code]) => code!);
  return snippets
    .filter((code) => code.includes("@svc/sdk") && code.includes('"vitest"') === forVitest)
    .map((code, index) => {
      write(`snippet-${index}.ts`, code);
      return `snippet-${index}.ts`;
    });
}

let project: Project;
let server: TestServer;
let sample: string;
const sdk = () => join(project.folder, "node_modules/@svc/sdk");

beforeAll(async () => {
  project = openProject();
  await project.install(pack("sdk"));
  server = await startServer();
  const { suiteId, agentId } = (await server.client.sample.start({})).sample;
  const [{ testSuite }, { agent }] = await Promise.all([
    server.client.suites.get({ suiteId }),
    server.client.agents.get({ agentId }),
  ]);
  sample = JSON.stringify({ suite: testSuite.name, agent: agent.name });
});
afterAll(async () => {
  project.remove();
  await server.stop();
});

async function bundled(code: string, format: "esm" | "iife" = "esm"): Promise<string> {
  project.write("entry.js", code);
  const bundle = await rolldown({ input: join(project.folder, "entry.js"), platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format, name: "svc", minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  return output[0].code;
}

describe("the SDK's package", () => {
  test("the package installs alone, with zod for its types and no other package", () => {
    const installed = readdirSync(join(project.folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["@svc", "zod"]);
    expect(readdirSync(join(project.folder, "node_modules/@svc"))).toEqual(["sdk"]);
    const files = globSync("**/*.*", { cwd: sdk() });
    expect(files.filter((file) => !/\.(js|d\.ts|json|md)$/.test(file))).toEqual([]);
  });

  test("the package and the snippets of the documents compile with TypeScript 5.9, and the package runs on Node 20 and 22", async ({
    skip,
  }) => {
    if (NODE_PACKAGE === undefined) skip("the registry has no Node for this system");
    await project.install("--save-dev", "typescript@5.9.3", "@types/node@20.19.39");
    project.write("consumer.ts", CONSUMER);
    const snippets = writeSnippets(project, false);
    expect(snippets.length).toBeGreaterThan(2);
    for (const module of ["nodenext", "bundler"]) {
      const options = module === "bundler" ? { module: "esnext", moduleResolution: "bundler" } : { module };
      const config = {
        compilerOptions: { ...TYPES.compilerOptions, ...options, types: ["node"] },
        files: ["consumer.ts", ...snippets],
      };
      project.write("tsconfig.json", JSON.stringify(config));
      expect(await project.run("node_modules/.bin/tsc", ["-p", "."])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    }
    for (const version of ["20.20.2", "22.23.3"]) {
      await project.install(`${NODE_PACKAGE}@${version}`);
      const node = `node_modules/${NODE_PACKAGE}/bin/node`;
      const { stdout, stderr } = await project.run(node, ["out/consumer.js", server.url, server.projectKey, sample]);
      expect(stderr).toBe("");
      const result = JSON.parse(stdout) as Record<string, unknown>;
      expect(result).toMatchObject({ version, code: "not_found", events: 5 });
      expect(result.names).toContain(`From ${version}`);
      expect(result.message).toMatch(/1 of 5 simulations did not pass[^]+turn 2: "You are booked/);
    }
  });

  test("the package has fewer than 24 kB in a browser, with gzip, and contains no schemas", async () => {
    const code = await bundled(`export * from "@svc/sdk";`);
    expect(gzipSync(code).length).toBeLessThan(24_000);
    expect(code).not.toMatch(/zod|strictObject/i);
  });

  test("the package can be shaken: a program that uses one export gets only that one", async () => {
    const code = await bundled(`import { SvcError } from "@svc/sdk"; export { SvcError };`);
    expect(code.length).toBeLessThan(1_000);
  });

  test("the package imports nothing from Node, and names no global of it", () => {
    const code = globSync("dist/**/*.js", { cwd: sdk() })
      .filter((file) => file !== "dist/vitest.js")
      .map((file) => readFileSync(join(sdk(), file), "utf8").replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ""))
      .join("\n");
    expect(code).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\b|import\.meta|__dirname/);
    expect(
      [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from).filter((from) => !from!.startsWith("./")),
    ).toEqual([]);
  });

  test("the package calls the service where only the globals of the web exist", async () => {
    const code = await bundled(`export * from "@svc/sdk";`, "iife");
    const names = [
      "AbortController",
      "AbortSignal",
      "DOMException",
      "Headers",
      "ReadableStream",
      "Request",
      "Response",
      "TextDecoder",
      "TextEncoder",
      "URL",
      "URLSearchParams",
      "clearTimeout",
      "fetch",
      "performance",
      "setTimeout",
    ] as const;
    const web = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
    const context = createContext({
      ...web,
      answer: undefined,
      options: { baseUrl: server.url, apiKey: server.projectKey },
    });
    runInContext(`${code}; answer = svc.createClient(options).tests.list({ limit: 1 })`, context);
    expect(await (context.answer as Promise<unknown>)).toMatchObject({
      items: [{ id: expect.stringMatching(/^tst_/) }],
    });
  });

  test.each(IS_GATE ? ["2.1.9"] : ["2.1.9", "3.2.7", "4.1.12"])(
    "the package installs beside Vitest %s, whose expect has a typed toPass",
    async (version) => {
      const vitest = openProject();
      await vitest.install(pack("sdk"), `vitest@${version}`, "typescript@5.9.3", "@types/node@24.19.2");
      vitest.write(
        "agent.test.ts",
        `import { type PlayedRun, svc } from "@svc/sdk/vitest";
import { expect, test } from "vitest";

const passed = { passed: true, run: { id: "run_x" }, simulations: [] } as unknown as PlayedRun;

test("toPass", async () => {
  expect(passed).toPass();
  expect(() => expect({ ...passed, passed: false }).toPass()).toThrow("The run run_x did not pass");
  // @ts-expect-error: there is no such matcher.
  void (() => expect(passed).toPas());
  await expect(async () => svc.run({ suite: "Booking" })).rejects.toThrow("set SVC_URL");
});
`,
      );
      const config = { ...TYPES.compilerOptions, skipLibCheck: true, module: "nodenext", noEmit: true };
      vitest.write("tsconfig.json", JSON.stringify({ compilerOptions: config, files: ["agent.test.ts"] }));
      expect(await vitest.run("node_modules/.bin/tsc", ["-p", "."])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
      const { exitCode, stdout } = await vitest.run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("1 passed") });
      vitest.remove();
    },
  );

  test("toPass in a project's Vitest shows the failing behavior with the quoted turn", async () => {
    const vitest = openProject();
    await vitest.install(pack("sdk"), "vitest@5.1.1", "typescript@5.9.3", "@types/node@24.19.2");
    vitest.write(
      "agent.test.ts",
      `import { svc } from "@svc/sdk/vitest";
import { expect, test } from "vitest";

test("the agent books a room", { timeout: 120_000 }, async ({ signal }) => {
  const { suite, agent } = JSON.parse(process.env.SAMPLE!) as { suite: string; agent: string };
  expect(await svc.run({ suite, agent, signal })).toPass();
});
`,
    );
    const config = { ...TYPES.compilerOptions, skipLibCheck: true, module: "nodenext", noEmit: true };
    vitest.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: config, files: ["agent.test.ts", ...writeSnippets(vitest, true)] }),
    );
    expect(await vitest.run("node_modules/.bin/tsc", ["-p", "."])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const { exitCode, stdout, stderr } = await vitest.run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], {
      SVC_URL: server.url,
      SVC_API_KEY: server.projectKey,
      SAMPLE: sample,
      NO_COLOR: "1",
    });
    expect(exitCode).toBe(1);
    expect(stdout + stderr).toMatch(/1 of 5 simulations did not pass[^]+failed: never says[^]+turn 2: "You are booked/);
    vitest.remove();
  });
});
