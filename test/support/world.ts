import { createClient } from "@svc/sdk";
import { cookieOf, join, signUp } from "./people.ts";
import { openFakePlatformA } from "./platform-a/fake.ts";
import { send } from "./request.ts";
import { startSmtp } from "./smtp.ts";
import { startServer, type TestServer } from "./server.ts";

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Starts the service of a world; one in another process does not show its state. */
type StartWorld = (...args: Parameters<typeof startServer>) => Promise<Omit<TestServer, "answersInTheMaking">>;

/**
 * Creates two separate organizations through the API, and a platform_a with one agent. Acme has two projects, a person of
 * every role and a removed member; the stranger is the admin of the other organization. `start` may start the service in
 * another process.
 */
export async function openWorld(start: StartWorld = startServer) {
  const platformA = await openFakePlatformA();
  platformA.addAgent("agent_0", "Front desk");
  const smtp = await startSmtp();
  const server = await start({
    settings: {
      SVC_OPEN_SIGNUP: "true",
      SVC_OUTBOUND_PRIVATE: "true",
      SVC_TRUST_PROXY: "true",
      SVC_PLATFORM_A_BASE_URL: platformA.url,
      SVC_SMTP_URL: smtp.url,
      SVC_MAIL_FROM: "svc@acme.test",
    },
    pace: { tickMs: 50, pollMs: 200 },
  });
  const { url, admin, project } = server;
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
  const adminCookie = await signIn("admin@acme.test", "correct horse battery");
  const { secret: otherProjectKey } = await admin.keys.create({ project_id: otherProject.id });
  const { secret: viewerProjectKey } = await viewer.client.keys.create({ project_id: project.id });
  const revoked = await admin.keys.create({ name: "revoked" });
  await admin.keys.revoke({ apiKeyId: revoked.id });

  async function signIn(email: string, password: string): Promise<string> {
    const reply = await send(url, { method: "POST", path: "/api/auth/sign-in/email", json: { email, password } });
    if (reply.status !== 200) throw new Error(`cannot sign in: ${reply.text}`);
    return cookieOf(reply);
  }

  return {
    ...server,
    platformA,
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
    adminCookie,
    adminSession: createClient({ baseUrl: url, cookie: adminCookie, retries: 0 }),
    signIn,
    async stop(): Promise<void> {
      await server.stop();
      await platformA.close();
      await smtp.stop();
    },
  };
}

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
