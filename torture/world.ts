import { join } from "node:path";
import type { startServer } from "../test/support/server.ts";
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
    const admin = clientOf(url, settings.SVC_INIT_API_KEY);
    const { projects } = await admin.projects.list();
    const stop = async () => void (await service.stop());
    const settled = () => Promise.resolve();
    return {
      url,
      dataDir,
      adminKey: settings.SVC_INIT_API_KEY,
      projectKey: settings.SVC_INIT_PROJECT_API_KEY,
      admin,
      client: clientOf(url, settings.SVC_INIT_PROJECT_API_KEY),
      project: projects.at(-1)!,
      clientOf: (apiKey = "") => clientOf(url, apiKey),
      spansLoaded: settled,
      conversationsRead: settled,
      keepRecording: settled,
      answersInTheMaking: () => ({ bytes: 0, waiting: 0 }),
      close: stop,
      remove: () => undefined,
      stop,
    };
  };
