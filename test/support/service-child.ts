import { once } from "node:events";
import { flushCompileCache } from "node:module";
import type { AppOptions } from "@svc/server";
import { startServer } from "./server.ts";

/** Message to the child: open the service on this folder, or on these databases. */
export type OpenService = {
  dataDir: string;
  settings: Record<string, string>;
  databases?: Record<string, string>;
} & Pick<AppOptions, "pace" | "runs" | "productionPace">;
/** Message from the child once it serves. */
export type Serving = { url: string; projectKey: string };
/** Message to a child with `--expose-gc`, which collects its garbage and sends the message back. */
const COLLECT = "collect garbage";

// Runs the whole service in a separate process, which a spec starts and kills. The service opens only on a message, so that the
// next process can load its code while this one still runs. When a spec limits the size of files, this handler makes writes fail,
// as on a full disk, instead of ending the process.
process.on("SIGXFSZ", () => undefined);
process.on("disconnect", () => process.exit(0));
const [service] = (await once(process, "message")) as [OpenService];
const { url, projectKey } = await startServer(service);
process.on("message", (message) => {
  if (message !== COLLECT) return;
  globalThis.gc!();
  process.send!(COLLECT);
});
process.send!({ url, projectKey } satisfies Serving);
flushCompileCache();
