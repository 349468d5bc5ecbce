import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const DIST = join(import.meta.dirname, "../../dist");
/** The environment of a person's shell, without the variables that npm and Vitest set for the specs. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_(OPTIONS|ENV|COMPILE_CACHE)|VITEST|SVC_|CI$)/i.test(name),
    ),
  ),
  PATH: process.env.PATH?.split(delimiter)
    .filter((folder) => !/node_modules|node-gyp-bin/.test(folder))
    .join(delimiter),
};

type Printed = { exitCode: number; stdout: string; stderr: string };

export type Project = ReturnType<typeof openProject>;

/** Returns the path of one of this project's npm packages. */
export const pack = (name: string): string => join(DIST, `svc-${name}-0.1.0.tgz`);

/** Creates an empty project in a temporary folder. Its programs get the variables in addition to the environment. */
export function openProject(variables: Record<string, string> = {}) {
  const environment = { ...ENVIRONMENT, ...variables };
  const folder = mkdtempSync(join(tmpdir(), "svc-project-"));
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  write("package.json", JSON.stringify({ name: "project", version: "1.0.0", private: true, type: "module" }));

  /** Runs a program in the project's folder. */
  async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<Printed> {
    try {
      const options = { cwd: folder, env: { ...environment, ...env }, maxBuffer: 1 << 26 };
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return { exitCode: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number | string; stdout: string; stderr: string };
      if (typeof code === "string") throw error;
      return { exitCode: code, stdout, stderr };
    }
  }

  return {
    folder,
    environment,
    write,
    run,
    /** Installs packages. Fails when npm fails. */
    async install(...args: string[]): Promise<Printed> {
      const printed = await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...args]);
      if (printed.exitCode !== 0) throw new Error(printed.stderr);
      return printed;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The npm package with Node for this system. Its version 20 is the oldest Node that the SDK and the worker helper support. */
export const NODE_PACKAGE = process.platform === "linux" ? `node-linux-${process.arch}` : undefined;
