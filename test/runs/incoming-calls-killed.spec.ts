import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeRegistrar, type PlacedInvite, startFakeRegistrar } from "../support/calls/fake-registrar.ts";
import { fileOf } from "../support/code/programs.ts";
import { incomingConnection, settled, simulationsOf, startRun, versionsOf } from "../support/runs.ts";
import { keySettings } from "../support/secret.ts";
import type { OpenService, Serving } from "../support/service-child.ts";
import { until } from "../support/until.ts";

const WAIT_MS = 120_000;
const dataDir = mkdtempSync(join(tmpdir(), "svc-incoming-"));
const settings = keySettings();

let registrar: FakeRegistrar;
let child: ChildProcess;
beforeAll(async () => {
  registrar = await startFakeRegistrar();
});
afterAll(async () => {
  await kill();
  registrar.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function startService() {
  child = fork(fileOf("service-child"), { execArgv: ["--conditions=svc-source"] });
  child.send({ dataDir, settings } satisfies OpenService);
  const [{ url, projectKey }] = (await once(child, "message")) as [Serving];
  return createClient({ baseUrl: url, apiKey: projectKey, retries: 0 });
}

async function kill(): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

const registrations = (account: string) =>
  registrar.received.filter(
    (text) => text.startsWith("REGISTER") && text.includes(`<${account}>`) && /^Expires: 60/m.test(text),
  );

/** Returns the contact of the registration after the first `before` ones. */
async function contactOf(account: string, before: number): Promise<string> {
  await until("a registration", () => registrations(account).length > before, WAIT_MS);
  return /^Contact: <(.*)>/m.exec(registrations(account).at(-1)!)![1]!;
}

const loudPackets = ({ heard }: PlacedInvite) =>
  heard.filter((packet) => packet.subarray(12).some((code) => (code & 0x7f) < 0x40)).length;

async function answered(contact: string): Promise<PlacedInvite> {
  const invite = registrar.invite(contact);
  await invite.response(200);
  await invite.ack();
  await until("hello", () => loudPackets(invite) > 5);
  return invite;
}

async function converse(contact: string): Promise<void> {
  const invite = await answered(contact);
  await invite.say(1.5);
  const heard = loudPackets(invite);
  await until("the person's answer", () => loudPackets(invite) > heard + 20);
  await invite.bye();
}

test("a process that is killed while it waits for a call, and again in the call, takes up the wait after its restart, and the simulation ends once", async () => {
  const account = registrar.accountOf("killed");
  let client = await startService();
  const over = await incomingConnection(client, { account, callers: "agent" });
  const testVersions = await versionsOf(client, [
    { scenario: "Says: I would like to move my appointment.", behaviors: ["ends the call"] },
  ]);
  const { id: runId } = await startRun(client, { ...over, testVersions, caller: "scripted" });

  await contactOf(account, 0);
  await kill();
  let before = registrations(account).length;
  client = await startService();
  await answered(await contactOf(account, before));
  await kill();

  before = registrations(account).length;
  client = await startService();
  const ended = settled(client, runId, WAIT_MS);
  // A busy machine can stall the service, which then plays the simulation again: the agent calls after each first registration.
  const contacts = new Set<string>();
  const calling = setInterval(() => {
    for (const text of registrations(account).slice(before)) {
      const contact = /^Contact: <(.*)>/m.exec(text)![1]!;
      if (contacts.has(contact)) continue;
      contacts.add(contact);
      // The call of a stalled attempt breaks off.
      converse(contact).catch(() => undefined);
    }
  }, 100);
  await ended.finally(() => clearInterval(calling));
  expect(await simulationsOf(client, runId)).toMatchObject([{ endingReason: "agent_ended", verdict: "passed" }]);
  expect((await client.traces.list({ runId })).traces).toHaveLength(1);
});
