import { join } from "node:path";
import { serverElsewhere, type startServer } from "../test/support/server.ts";
import type { Arena } from "./scenario.ts";
import { ADMIN_EMAIL, claimed, clientOf } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

/** Returns a function for `openWorld` that starts the service as a separate process, with the functions of a `TestServer`. */
export const startsChild =
  (arena: Arena): typeof startServer =>
  async ({ settings: more = {}, pace = {} } = {}) => {
    const settings = claimed(arena.draws, { ...more, SVC_INIT_ADMIN: `${ADMIN_EMAIL}:correct horse battery` });
    const dataDir = join(arena.folder, "data");
    const service = arena.launch({ dataDir, settings, options: { pace, checkAnswers: true } });
    const url = await service.serving;
    const { adminKey, projectKey } = keysIn(settings);
    const stop = async () => void (await service.stop());
    return serverElsewhere({ url, dataDir, adminKey, projectKey, stop }, (address, key = "") => clientOf(address, key));
  };
