import { join } from "node:path";

/** The programs that specs start as processes, by their files. */
export const PROGRAMS = {
  svc: "test/support/code/svc.ts",
  serve: "test/support/code/serve.ts",
  "command-host": "test/support/command-host.ts",
  "service-child": "test/support/service-child.ts",
} as const;

const ROOT = join(import.meta.dirname, "../../..");
/** The files that start a program from its sources. Every other program is started by its own file. */
const STARTS: Partial<Record<keyof typeof PROGRAMS, string>> = { svc: "packages/cli/bin/svc.js" };

/** Returns the bundled file of a program, or its source file when the run has no bundle. */
export function fileOf(program: keyof typeof PROGRAMS): string {
  const code = process.env["SPEC_CODE"];
  return code === undefined ? join(ROOT, STARTS[program] ?? PROGRAMS[program]) : join(code, `${program}.js`);
}
