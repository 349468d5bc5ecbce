import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { openProject, pack, type Project } from "./project.ts";

/** npm leaves out optional packages that do not support the Node that runs it. */
const ENVIRONMENT = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

let whole: Project;
let light: Project;
beforeAll(async () => {
  [whole, light] = [openProject(ENVIRONMENT), openProject(ENVIRONMENT)];
  await whole.install(pack("cli"));
  await light.install(pack("cli"), "--omit=optional");
});
afterAll(() => {
  whole.remove();
  light.remove();
});

const svc = ({ run, folder }: Project, args: string[], env: Record<string, string> = {}) =>
  run("node_modules/.bin/svc", args, { HOME: folder, ...env });

describe("the command line's package", () => {
  test("the package installs alone and prints its version and its help", async () => {
    expect(readdirSync(join(whole.folder, "node_modules/@svc"))).toEqual(["cli"]);
    expect(await svc(whole, ["--version"])).toMatchObject({ exitCode: 0, stderr: "" });
    const { stdout } = await svc(whole, ["--help"]);
    expect(stdout).toContain("Test and monitor voice agents");
    expect(stdout).toMatch(/^ +runs +/m);
  });

  test("the package serves the API and the pages, and its commands use them", async () => {
    const args = ["serve", "--data-dir", join(whole.folder, "data"), "--port", "0"];
    const apiKey = `svc_sk_${"k".repeat(43)}`;
    const claim = {
      SVC_INIT_ADMIN: "ada@acme.test:correct horse battery",
      SVC_INIT_API_KEYS: `project:${apiKey}`,
    };
    const child = spawn("node_modules/.bin/svc", args, {
      cwd: whole.folder,
      env: { ...whole.environment, ...claim, SVC_WEB_PORT: "0", LOG_LEVEL: "silent" },
    });
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const read = (pattern: RegExp) =>
      until(
        () => printed,
        () => pattern.exec(printed)?.[1],
      );
    const [pages, api] = [await read(/serves at (http:\S+)/), await read(/health +(http:\S+)\/health/)];
    expect((await fetch(`${api}/health`)).status).toBe(200);
    const page = await fetch(`${pages}/sign-in`, { headers: { accept: "text/html" } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);

    const at = { SVC_URL: api, SVC_API_KEY: apiKey };
    const test = ["tests", "create", "--name", "Books a room", "--scenario", "s", "--behavior", "says /room/i"];
    expect(await svc(light, test, at)).toMatchObject({ exitCode: 0 });
    expect((await svc(whole, ["tests", "list"], at)).stdout).toContain("Books a room");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await svc(whole, ["doctor", "--data-dir", join(whole.folder, "data")])).toMatchObject({ exitCode: 0 });
  });

  test("without its optional packages, the package is small, and says how to install those that run the service", async () => {
    expect(existsSync(join(light.folder, "node_modules/koa"))).toBe(false);
    expect((await light.run("du", ["-sm", "node_modules"])).stdout.split("\t")[0]).toSatisfy(
      (size) => Number(size) < 40,
    );
    const refused = {
      exitCode: 1,
      stdout: "",
      stderr:
        "The packages that run the service are not installed. Install @svc/cli again with npm's options --include=optional --ignore-scripts.\n",
    };
    expect(await svc(light, ["serve"])).toEqual(refused);
    expect(await svc(light, ["backup", "copy"])).toEqual(refused);
  });
});
