import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { startServer } from "./server.ts";

/** Sent to the child: open the service on this folder. */
export type OpenService = { dataDir: string; settings: Record<string, string> };
/** Sent by the child once it serves. */
export type Serving = { url: string; projectKey: string };

// The whole service in a process of its own: started by a spec, which kills it. It is told to open when it has loaded its
// code, so that the next one can load while this one still lives.
const [service] = (await once(process, "message")) as [OpenService];
const { url, projectKey } = await startServer(service);
process.send!({ url, projectKey } satisfies Serving);
flushCompileCache();
