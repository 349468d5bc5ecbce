import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@svc/sdk";
import { type AppOptions, type Config, listen, openApp, createLog, readConfig } from "@svc/server";
import { databasesOf } from "./engine.ts";
import { FAST_PASSWORDS } from "./fast-passwords.ts";
import { fillWithFirstStart, FIRST_START } from "./first-start.ts";
import { PROGRAM, startProgram } from "./program.ts";
import { keySettings, keysIn } from "./secret.ts";

/** An address without a listener, so that no spec reaches a real provider. */
const NOWHERE = new URL("http://127.0.0.1:9/");

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts the real service on a free port and a temporary folder. It has an account, an admin key and a key of its one project.
 * `isEmbedded` keeps everything in the folder, even when the specs run on databases. `databases` are the settings of databases that
 * the service shares with other services.
 */
export async function startServer({
  settings = {},
  dataDir,
  checkAnswers = true,
  voiceOverrides = { addressOf: () => NOWHERE },
  speechOverrides = { addressOf: () => NOWHERE },
  passwordHash = FAST_PASSWORDS,
  databases,
  isEmbedded = false,
  ...overrides
}: {
  settings?: Record<string, string>;
  dataDir?: string;
  isEmbedded?: boolean;
  databases?: Record<string, string>;
} & AppOptions = {}) {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), "svc-spec-"));
  const keys = settings.SVC_INIT_API_KEYS === undefined ? keySettings() : settings;
  const { adminKey, projectKey } = keysIn(keys);
  const ofDatabases = isEmbedded ? {} : (databases ?? (await databasesOf(folder)));
  const isInFolder = PROGRAM === undefined && Object.keys(ofDatabases).length === 0;
  if (isInFolder) await fillWithFirstStart(folder, settings);
  const environment = {
    PORT: "0",
    ...ofDatabases,
    SVC_DATA_DIR: folder,
    SVC_RATE_LIMIT_PER_MINUTE: "1000000",
    SVC_PLATFORM_A_BASE_URL: NOWHERE.href,
    ...FIRST_START,
    ...keys,
    LOG_LEVEL: process.env.SPEC_LOG_LEVEL ?? "silent",
    ...settings,
  };
  const service =
    PROGRAM === undefined
      ? await startInProcess(readConfig(environment), {
          checkAnswers,
          voiceOverrides,
          speechOverrides,
          passwordHash,
          ...overrides,
        })
      : { ...(await startProgram(PROGRAM, environment)), ...HIDDEN_STATE };
  const { url } = service;
  const admin = clientOf(url, adminKey);
  const { projects } = await admin.projects.list();
  let stopped = false;
  return {
    url,
    dataDir: folder,
    adminKey,
    projectKey,
    admin,
    client: clientOf(url, projectKey),
    project: projects.at(-1)!,
    clientOf: (apiKey?: string) => clientOf(url, apiKey),
    spansLoaded: service.spansLoaded,
    conversationsRead: service.conversationsRead,
    answersInTheMaking: service.answersInTheMaking,
    keepRecording: service.keepRecording,
    /** Stops the service and keeps its folder. */
    close,
    remove: () => rmSync(folder, { recursive: true, force: true }),
    /** Stops the service; deletes the folder unless the caller passed it. */
    async stop(): Promise<void> {
      await close();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };

  async function close(): Promise<void> {
    if (stopped) return;
    stopped = true;
    await service.stop();
  }
}

/** Opens the service in this process. */
async function startInProcess(config: Config, options: AppOptions) {
  const app = await openApp(config, createLog(config.logLevel), options);
  const { url, stop } = await listen(app.handle, config.port, config.host);
  app.listeningAt(url);
  return {
    url,
    spansLoaded: app.spansLoaded,
    conversationsRead: app.conversationsRead,
    answersInTheMaking: app.answersInTheMaking,
    /** Stores the bytes as the recording of a simulation, in the way in which a media process hands them over. */
    async keepRecording(recorded: { projectId: string; simulationId: string; bytes: Buffer }): Promise<void> {
      const file = app.recordings.newFile();
      writeFileSync(file, recorded.bytes);
      await app.recordings.keep({ projectId: recorded.projectId, simulationId: recorded.simulationId, file });
    },
    async stop(): Promise<void> {
      app.beginStop();
      await stop();
      await app.close();
    },
  };
}

type Elsewhere = Pick<TestServer, "url" | "dataDir" | "adminKey" | "projectKey" | "stop">;

/** Returns the functions of a `TestServer` for a service that runs in another process. */
export async function serverElsewhere({ url, dataDir, adminKey, projectKey, stop }: Elsewhere, clientFor = clientOf) {
  const admin = clientFor(url, adminKey);
  const { projects } = await admin.projects.list();
  const settled = () => Promise.resolve();
  return {
    url,
    dataDir,
    adminKey,
    projectKey,
    admin,
    client: clientFor(url, projectKey),
    project: projects.at(-1)!,
    clientOf: (apiKey?: string) => clientFor(url, apiKey),
    spansLoaded: settled,
    conversationsRead: settled,
    keepRecording: settled,
    answersInTheMaking: () => ({ bytes: 0, waiting: 0 }),
    close: stop,
    remove: () => undefined,
    stop,
  };
}

const hidden = (): never => {
  throw new Error("The executable does not show this state; run this spec only in process.");
};

/** State that specs can read only from a service in this process. */
const HIDDEN_STATE: Pick<
  Awaited<ReturnType<typeof startInProcess>>,
  "spansLoaded" | "conversationsRead" | "answersInTheMaking" | "keepRecording"
> = { spansLoaded: hidden, conversationsRead: hidden, answersInTheMaking: hidden, keepRecording: hidden };

export const clientOf = (baseUrl: string, apiKey?: string): Client =>
  createClient({ baseUrl, retries: 0, timeoutMs: 90_000, apiKey: apiKey ?? null });
