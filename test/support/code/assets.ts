import { join } from "node:path";
import { type ENTRIES, startOf as startOfSource } from "../../../packages/server/src/assets.ts";

export * from "../../../packages/server/src/assets.ts";

/** Returns how to start an entry from the bundled code; vitest.config.ts puts this module in the place of the service's. */
export function startOf(name: keyof typeof ENTRIES): ReturnType<typeof startOfSource> {
  const code = process.env["SPEC_CODE"];
  const start = startOfSource(name);
  return code === undefined ? start : { ...start, file: join(code, `${name}.js`) };
}
