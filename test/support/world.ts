import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { KEY_PERMISSION_NAMES, type KeyPermission } from "@svc/contract";
import { type Client, createClient } from "@svc/sdk";
import { IS_SHARED } from "./engine.ts";
import { cookieOf, join, type Person, signUp } from "./people.ts";
import { openFakePlatformA } from "./platform-a/fake.ts";
import { atProcessEnd } from "./process-end.ts";
import { PROGRAM } from "./program.ts";
import { send } from "./request.ts";
import { startSmtp } from "./smtp.ts";
import { startServer, type TestServer } from "./server.ts";
import { keySettings } from "./secret.ts";
import { until } from "./until.ts";

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Starts the service of a world. A service in another process does not show its internal state. */
type StartWorld = (...args: Parameters<typeof startServer>) => Promise<Omit<TestServer, "answersInTheMaking">>;
type Options = NonNullable<Parameters<StartWorld>[0]>;
type Population = Awaited<ReturnType<typeof populate>>;

/** The folder of the first world of this process, after its service stopped, and the people in the folder. */
let first: Promise<{ folder: string; population: Population }> | undefined;

/**
 * Creates a world: a service with two separate organizations, made through the API, and a platform_a with one agent. Acme has two
 * projects, a person of every role and a removed member; the stranger is the admin of the other organization. `start` may start the
 * service in another process. Without it, the service starts on a copy of the first world of this process, because creating its
 * people and records takes many requests.
 */
export async function openWorld(start?: StartWorld) {
  const platformA = await openFakePlatformA();
  platformA.addAgent("agent_0", "Front desk");
  const smtp = await startSmtp();
  const options = {
    settings: {
      SVC_OPEN_SIGNUP: "true",
      SVC_OUTBOUND_PRIVATE: "true",
      SVC_TRUST_PROXY: "true",
      SVC_PLATFORM_A_BASE_URL: platformA.url,
      SVC_SMTP_URL: smtp.url,
      SVC_MAIL_FROM: "svc@acme.test",
    },
    pace: { tickMs: 50, pollMs: 200 },
  };
  const isCopy = start === undefined && PROGRAM === undefined && !IS_SHARED;
  const { server, population } = isCopy ? await startCopy(options) : await startNew(start ?? startServer, options);
  const { url } = server;
  const withClient = (person: Person): Person => ({ ...person, client: sessionClientOf(url, person.cookie) });

  return {
    ...server,
    ...population,
    platformA,
    member: withClient(population.member),
    viewer: withClient(population.viewer),
    removed: withClient(population.removed),
    stranger: withClient(population.stranger),
    adminSession: sessionClientOf(url, population.adminCookie),
    signIn: (email: string, password: string) => signIn(url, email, password),
    async stop(): Promise<void> {
      await server.stop();
      await platformA.close();
      await smtp.stop();
    },
  };
}

async function startNew(start: StartWorld, options: Options) {
  const server = await start(options);
  return { server, population: await populate(server) };
}

async function startCopy(options: Options): ReturnType<typeof startNew> {
  first ??= (async () => {
    const { server, population } = await startNew(startServer, options);
    atProcessEnd(server.remove);
    await server.close();
    return { folder: server.dataDir, population };
  })();
  const { folder, population } = await first;
  const dataDir = mkdtempSync(joinPath(tmpdir(), "svc-world-"));
  cpSync(folder, dataDir, { recursive: true });
  const keys = keySettings(population);
  const server = await startServer({ ...options, settings: { ...options.settings, ...keys }, dataDir });
  const stop = async () => {
    await server.stop();
    server.remove();
  };
  return { server: { ...server, stop }, population };
}

async function populate({ url, admin, adminKey, projectKey, project }: Awaited<ReturnType<StartWorld>>) {
  const expires_at = new Date(Date.now() + SHORT_LIFE_MS).toISOString();
  const expiring = await admin.keys.create({ name: "expired", expires_at });
  const { project: otherProject } = await admin.projects.create({ name: "Night shift" });
  const [member, viewer, removed, stranger] = await Promise.all([
    join(url, admin, "member@acme.test", "member"),
    join(url, admin, "viewer@acme.test", "viewer"),
    join(url, admin, "removed@acme.test", "member"),
    signUp(url, "stranger@elsewhere.test"),
  ]);
  await admin.members.remove({ userId: removed.session.user.id });
  const { projects: strangersProjects } = await stranger.client.projects.list();

  const { secret: strangersProjectKey } = await stranger.client.keys.create({ project_id: strangersProjects[0]!.id });
  const adminCookie = await signIn(url, "admin@acme.test", "correct horse battery");
  const { secret: otherProjectKey } = await admin.keys.create({ project_id: otherProject.id });
  const { secret: viewerProjectKey } = await viewer.client.keys.create({ project_id: project.id });
  const revoked = await admin.keys.create({ name: "revoked" });
  await admin.keys.revoke({ apiKeyId: revoked.id });
  const keysWith = await keysWithEachPermission(admin, project.id);
  await until("the key has expired", () => new Date(expiring.expires_at!) < new Date());
  return {
    adminKey,
    projectKey,
    project,
    otherProject,
    otherProjectKey,
    viewerProjectKey,
    member,
    viewer,
    removed,
    stranger,
    strangersProject: strangersProjects[0]!,
    strangersProjectKey,
    revokedKey: revoked.secret,
    expiredKey: expiring.secret,
    keysWith,
    adminCookie,
  };
}

/**
 * The lifetime of a short-lived key. The request that creates the key ends before, and the key has expired when the other records
 * exist.
 */
const SHORT_LIFE_MS = 1_000;

/** Returns keys of the admin with each permission, of one project and of the organization; `ingest` needs a project. */
async function keysWithEachPermission(admin: Client, project_id: string) {
  const keys = {} as Record<KeyPermission, { project: string; organization?: string }>;
  for (const permission of KEY_PERMISSION_NAMES) {
    const wanted = { name: permission, permissions: [permission] };
    const { secret: project } = await admin.keys.create({ ...wanted, project_id });
    keys[permission] = { project };
    if (permission !== "ingest") keys[permission].organization = (await admin.keys.create(wanted)).secret;
  }
  return keys;
}

async function signIn(url: string, email: string, password: string): Promise<string> {
  const reply = await send(url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password } });
  if (reply.status !== 200) throw new Error(`cannot sign in: ${reply.text}`);
  return cookieOf(reply);
}

const sessionClientOf = (baseUrl: string, cookie: string) => createClient({ baseUrl, cookie, retries: 0 });

let serial = 0;

/** Returns a name that is unique in this process. */
export const freshName = (what: string): string => `${what} ${++serial}`;

/** Creates a minimal test. */
export const aTest = (more: Record<string, unknown> = {}) => ({
  name: freshName("test"),
  scenario: "A caller wants to move an appointment.",
  expected_behaviors: ["Confirms the new time."],
  ...more,
});

/** Creates a connection with a credential to a host that no spec calls. */
export const aConnection = () => ({
  connectionType: "http_chat" as const,
  accessVariant: "http_chat.bearer" as const,
  config: { url: "https://agent.example.test/chat", format: "openai" },
  credential: { apiKey: "a-key-of-theirs-1234" },
});

/** Returns a well-formed id without a resource. */
export const unknownId = (prefix: string): string => `${prefix}_06ft2v8xk3n9q4w7r1y5z0abcd`;
