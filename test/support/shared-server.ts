import { newId } from "../../packages/server/src/base/ids.ts";
import { createKeyStore } from "../../packages/server/src/tenancy/api-keys/store.ts";
import { insertMember } from "../../packages/server/src/tenancy/accounts/store/people.ts";
import { insertOrganization } from "../../packages/server/src/tenancy/organizations/store.ts";
import { insertProject } from "../../packages/server/src/tenancy/projects/store.ts";
import type { Db } from "../../packages/server/src/stores/relational.ts";
import { openStoreOf } from "./engine.ts";
import { atProcessEnd } from "./process-end.ts";
import { PROGRAM } from "./program.ts";
import { clientOf, startServer, type TestServer } from "./server.ts";

/** A running service with the keys and clients of one of its organizations. */
export type SharedServer = Omit<TestServer, "dataDir" | "close" | "remove" | "answersInTheMaking">;

let shared: Promise<{ server: TestServer; db: Db }> | undefined;

/**
 * Creates an organization with a project, an admin key and a project key in the one service that the specs of this process share. A
 * spec of limits, restarts, damage or settings calls `startServer` instead, to get a service of its own. So does every spec that
 * runs on an executable.
 */
export async function shareServer(): Promise<SharedServer> {
  if (PROGRAM !== undefined) return startServer();
  const { server, db } = await (shared ??= start());
  const { adminKey, projectKey } = await createOrganization(db);
  const admin = clientOf(server.url, adminKey);
  const { projects } = await admin.projects.list();
  return {
    url: server.url,
    adminKey,
    projectKey,
    admin,
    client: clientOf(server.url, projectKey),
    project: projects[0]!,
    clientOf: server.clientOf,
    spansLoaded: server.spansLoaded,
    conversationsRead: server.conversationsRead,
    keepRecording: server.keepRecording,
    /** Keeps the service running for the next spec file. */
    stop: () => Promise.resolve(),
  };
}

/** Starts the service, which runs until this process ends. Its folder is then removed. */
async function start(): Promise<{ server: TestServer; db: Db }> {
  const server = await startServer();
  atProcessEnd(server.remove);
  return { server, db: (await openStoreOf(server.dataDir)).db };
}

/** Inserts an organization as the first start creates it, but its admin has no password, because hashing a password takes time. */
async function createOrganization(db: Db): Promise<{ adminKey: string; projectKey: string }> {
  const organization = await insertOrganization(db, "Acme");
  const project = await insertProject(db, organization.id, { name: "Default" });
  const userId = newId("usr");
  const now = new Date().toISOString();
  const address = "admin@acme.test";
  await db
    .insertInto("users")
    .values({
      id: userId,
      name: "Admin",
      email: `${userId}@acme.test`,
      email_verified: 0,
      address,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await insertMember(db, userId, organization.id, "admin");
  const keys = createKeyStore(db, undefined as never);
  const creator = { organizationId: organization.id, userId };
  const first = await keys.create({ ...creator, projectId: null, name: "First key" });
  const ofProject = await keys.create({ ...creator, projectId: project.id, name: "First project key" });
  return { adminKey: first.secret, projectKey: ofProject.secret };
}
