import { enableCompileCache } from "node:module";
import { join } from "node:path";

// packages/cli/bin/svc.js also enables the cache before it loads the program.
enableCompileCache(join(import.meta.dirname, "../compiled"));
const { main } = await import("../../../packages/cli/src/main.ts");
await main(process.argv.slice(2));
