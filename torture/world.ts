import { join } from "node:path";
import { serverElsewhere, type startServer } from "../test/support/server.ts";
import type { Arena } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";

/** Returns a function that starts the service as a process with the face of the specs' server, for `openWorld`. */
export const startsChild =
  (arena: Arena): typeof startServer =>
  async ({ settings: more = {}, pace = {} } = {}) => {
    const settings = claimed(arena.draws, { ...more, SVC_INIT_ADMIN_PASSWORD: "correct horse battery" });
    const dataDir = join(arena.folder, "data");
    const service = arena.launch({ dataDir, settings, options: { pace, checkAnswers: true } });
    const url = await service.serving;
    const { SVC_INIT_API_KEY: adminKey, SVC_INIT_PROJECT_API_KEY: projectKey } = settings;
    const stop = async () => void (await service.stop());
    return serverElsewhere({ url, dataDir, adminKey, projectKey, stop }, (address, key = "") => clientOf(address, key));
  };
