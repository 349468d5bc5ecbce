import { join } from "node:path";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NODE_PACKAGE, openProject, pack, type Project } from "./project.ts";

let project: Project;
beforeAll(async () => {
  project = openProject();
  const peers = ["@livekit/agents@1.9.0", "@livekit/rtc-node@0.13.34", "@opentelemetry/api@1.9.0"];
  await project.install(pack("worker-helper"), ...peers, "typescript@5.9.3", "@types/node@20.19.39");
});
afterAll(() => project.remove());

const WORKER = `
import { type Monitor, monitor_platform_b, type WorkerJob } from "@svc/worker-helper";

const ended: (() => Promise<void>)[] = [];
const ctx: WorkerJob = { job: { id: "job_1" }, addShutdownCallback: (callback) => void ended.push(callback) };
const refusals: string[] = [];
try { monitor_platform_b(ctx, { url: "http://127.0.0.1:9" }); } catch (error) { refusals.push((error as Error).message); }
const monitor: Monitor = monitor_platform_b(ctx, { url: "http://127.0.0.1:9", apiKey: "svc_sk_" + "k".repeat(43) });
console.log(JSON.stringify({ refusals, counters: monitor.counters(), ended: ended.length, node: process.versions.node }));
process.exit();
`;

describe("the worker helper's package", () => {
  test("the package installs beside the framework, and brings no package of ours but itself", () => {
    expect(readdirSync(join(project.folder, "node_modules/@svc"))).toEqual(["worker-helper"]);
  });

  test("the package's types compile, and it monitors a job on Node 20", async ({ skip }) => {
    if (NODE_PACKAGE === undefined) skip("the registry has no Node for this system");
    await project.install(`${NODE_PACKAGE}@20.20.2`);
    project.write("worker.ts", WORKER);
    const options = {
      strict: true,
      skipLibCheck: true,
      target: "ES2022",
      module: "nodenext",
      rootDir: ".",
      outDir: "out",
    };
    project.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...options, types: ["node"] }, files: ["worker.ts"] }),
    );
    expect(await project.run("node_modules/.bin/tsc", ["-p", "."])).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const { stdout } = await project.run(`node_modules/${NODE_PACKAGE}/bin/node`, ["out/worker.js"]);
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toEqual({
      refusals: [
        "monitor_platform_b: SVC_API_KEY is not set: set it to a project-scoped key of the service with the permission ingest, svc_sk_….",
      ],
      counters: expect.objectContaining({ recorded: 0, lastProblem: null }),
      ended: 1,
      node: "20.20.2",
    });
  });
});
