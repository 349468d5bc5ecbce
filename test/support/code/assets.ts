import { join } from "node:path";
import { type ENTRIES, startOf as startOfSource } from "../../../packages/server/src/assets.ts";

export * from "../../../packages/server/src/assets.ts";

/**
 * Returns how to start a thread or process of the service from the bundled code. In specs, vitest.config.ts replaces the service's
 * module by this one.
 */
export function startOf(name: keyof typeof ENTRIES): ReturnType<typeof startOfSource> {
  const code = process.env["SPEC_CODE"];
  const start = startOfSource(name);
  return code === undefined ? start : { ...start, file: join(code, `${name}.js`) };
}
