import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatAgent, startChatAgent } from "../support/chat-agent.ts";
import { join, PASSWORD } from "../support/people.ts";
import { chatConnection, startRun, versionsOf } from "../support/runs.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

let server: SharedServer;
let agent: ChatAgent;
beforeAll(async () => {
  server = await shareServer();
  agent = await startChatAgent((spoken) => (spoken.event === "start" ? {} : { message: "Goodbye." }));
});
afterAll(async () => {
  agent.stop();
  await server.stop();
});

const startedWith = async (client: Client) => {
  const target = await chatConnection(server.client, agent.url);
  const testVersions = await versionsOf(server.client, [{ scenario: "Caller says: Bye.", behaviors: ['says "bye"'] }]);
  return startRun(client, { ...target, testVersions, projectId: server.project.id });
};
const starterOf = async (runId: string) => (await server.client.runs.get({ runId })).run.startedBy;

test("a run says which key started it, by the key's current name, even after its revocation", async () => {
  const key = await server.admin.keys.create({ name: "CI", project_id: server.project.id });
  const run = await startedWith(server.clientOf(key.secret));
  expect(run.startedBy).toEqual({ kind: "key", name: "CI" });
  await server.admin.keys.revoke({ apiKeyId: key.id });
  expect(await starterOf(run.id)).toEqual({ kind: "key", name: "CI" });
  const { runs } = await server.client.runs.list();
  expect(runs.find(({ id }) => id === run.id)!.startedBy).toEqual({ kind: "key", name: "CI" });
});

test("a run says which person started it, by the person's current name, and no name once the account is deleted", async () => {
  const person = await join(server.url, server.admin, "ana@acme.test", "member");
  const run = await startedWith(person.client);
  expect(run.startedBy).toEqual({ kind: "person", name: "ana" });
  await person.client.accounts.editUser({ name: "Ana Silva" });
  expect(await starterOf(run.id)).toEqual({ kind: "person", name: "Ana Silva" });
  await person.client.accounts.deleteUser({ password: PASSWORD });
  expect(await starterOf(run.id)).toEqual({ kind: "person", name: null });
});

test("the run of a sample says who asked for the sample", async () => {
  const { sample } = await server.client.sample.start();
  expect(await starterOf(sample.runId)).toMatchObject({ kind: "key" });
});
