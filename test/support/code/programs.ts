import { join } from "node:path";

/** The programs that specs start as processes, by their files. */
export const PROGRAMS = {
  svc: "test/support/code/svc.ts",
  serve: "test/support/code/serve.ts",
  "command-host": "test/support/command-host.ts",
  "service-child": "test/support/service-child.ts",
} as const;

const ROOT = join(import.meta.dirname, "../../..");
/** The files that start the sources; the other programs are such files themselves. */
const STARTS: Partial<Record<keyof typeof PROGRAMS, string>> = { svc: "packages/cli/bin/svc.js" };

/** Returns the file of a program: of the bundled code, or of the sources in runs that bundle none. */
export function fileOf(program: keyof typeof PROGRAMS): string {
  const code = process.env["SPEC_CODE"];
  return code === undefined ? join(ROOT, STARTS[program] ?? PROGRAMS[program]) : join(code, `${program}.js`);
}
