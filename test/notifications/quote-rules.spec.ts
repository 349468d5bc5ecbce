import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProjectEvent } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { createMail } from "../../packages/server/src/base/net/mail.ts";
import { createSealing } from "../../packages/server/src/base/secrets/sealing.ts";
import { createSend } from "../../packages/server/src/notifications/send.ts";
import { createSealedCredentials } from "../../packages/server/src/stores/sealed-credentials.ts";
import { createReadQuote } from "../../packages/server/src/notifications/quotes.ts";
import { quotedPart } from "../../packages/server/src/notifications/quote-rules.ts";
import {
  createDeletedConversations,
  digestOf,
} from "../../packages/server/src/traces/erasure/deleted-conversations.ts";
import { encryptionKeyOf, openStoreOf } from "../support/engine.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startSmtp } from "../support/smtp.ts";
import { freshName } from "../support/world.ts";

let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({ settings: { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: "svc@acme.test" } });
});
afterAll(async () => {
  await server.stop();
  await smtp.stop();
});

type Wanted = Parameters<Client["destinations"]["create"]>[0];
const create = async (wanted: Pick<Wanted, "kind"> & Partial<Wanted>) =>
  (
    await server.client.destinations.create({
      name: freshName("destination"),
      url: "http://127.0.0.1:9/",
      eventTypes: ["conversation.failed"],
      ...wanted,
    })
  ).destination;

describe("quotes", () => {
  test("quotes are refused for a webhook, new or edited", async () => {
    await expect(create({ kind: "webhook", quotes: true })).rejects.toMatchObject({ status: 422 });
    const { id } = await create({ kind: "webhook" });
    const edit = server.client.destinations.edit({ destinationId: id, quotes: true });
    await expect(edit).rejects.toMatchObject({
      status: 422,
      details: { issues: [{ path: "quotes", message: expect.stringContaining("Only Slack and mail") }] },
    });
  });

  test("the audit says that quotes were switched on and off, and nothing when a request does not name them", async () => {
    const { client, admin } = server;
    const { id } = await create({ kind: "slack", quotes: true });
    await client.destinations.edit({ destinationId: id, quotes: false });
    await client.destinations.edit({ destinationId: id, paused: true });
    const { lines } = await admin.audit.list({ resource: id });
    expect(lines.map(({ operation, detail }) => [operation, detail])).toEqual([
      ["destinations.edit", null],
      ["destinations.edit", "quotes: false"],
      ["destinations.create", "quotes: true"],
    ]);
  });

  test("words of a conversation that is being deleted are not quoted, and words that cannot be read are missing", async () => {
    const { events } = await server.client.events.list({});
    const project = { id: server.project.id, number: 7, name: "project" };
    const event = {
      ...events[0]!,
      type: "group.opened",
      data: { group: { id: "grp_1" } },
    } as Extract<ProjectEvent, { type: "group.opened" }>;
    const deleted = createDeletedConversations();
    const warnings: unknown[] = [];
    const log = {
      info: () => undefined,
      warn: (...line: unknown[]) => void warnings.push(line),
      error: () => undefined,
    };
    let read = async () => ({ words: "A lemon.", quote: null, traceId: "t1" });
    const readQuote = createReadQuote({
      sources: { ofSimulation: () => read(), ofProduction: () => read(), ofGroup: () => read() },
      reader: { list: async () => ({ rows: [], matches: [], next: null, total: null }) },
      readProject: async () => project,
      isDeleted: deleted.isDeleted,
      log,
    });
    expect(await readQuote(event)).toBe("A lemon.");
    deleted.add(7, [digestOf("trace", "t1")]);
    expect(await readQuote(event)).toBeNull();
    expect(warnings).toEqual([]);
    read = () => Promise.reject(new Error("the store is away"));
    expect(await readQuote(event)).toBeNull();
    expect(warnings).toEqual([[{ err: expect.any(Error), event: event.id }, expect.stringContaining("without it")]]);
  });

  test("quotes do not reach the log when a mail server repeats them in its refusal", async () => {
    const refusing = await startSmtp(({ data }) => `554 no: ${data.replaceAll("\n", " ")}`);
    const lines: unknown[] = [];
    const log = { info: () => undefined, warn: (...line: unknown[]) => void lines.push(line), error: () => undefined };
    const mail = createMail({ smtpUrl: refusing.url, mailFrom: "svc@acme.test" });
    const destination = await create({ kind: "email", url: undefined, email: "admin@acme.test", quotes: true });
    const store = await openStoreOf(server.dataDir);
    const row = await store.db
      .selectFrom("destinations")
      .selectAll()
      .where("id", "=", destination.id)
      .executeTakeFirstOrThrow();
    const { events } = await server.client.events.list({});
    const send = createSend({
      sealed: createSealedCredentials(store.db, createSealing(encryptionKeyOf(server.dataDir))),
      mail,
      privateAddresses: "allow",
      mayMail: async () => true,
      readQuote: async () => "A lime for you.",
      log,
      timeoutMs: 1_000,
    });
    const outcome = await send(row, [events[0]!]);
    await store.close();
    await refusing.stop();
    expect(refusing.mails[0]!.data).toContain("A lime for you.");
    expect(outcome).toMatchObject({ delivered: false, problem: expect.not.stringContaining("lime") });
    expect(lines).toEqual([[{ code: "EMESSAGE", responseCode: 554, destination: destination.id }, expect.any(String)]]);
  });

  test.each<[why: string, words: string, quote: string | null, shown: string | null]>([
    ["short words whole", "Hello there.", "there", "Hello there."],
    ["words of white space as none", " \n\u202e\t ", null, null],
    ["the beginning of long words without a cited part", "a".repeat(400), null, `${"a".repeat(299)}…`],
    ["the beginning when the cited part is there", `no ${"a".repeat(400)}`, "no", `no ${"a".repeat(296)}…`],
    ["the beginning when the cited part is not in the words", "a".repeat(400), "b".repeat(350), `${"a".repeat(299)}…`],
    ["what is around the cited part", `${"a".repeat(400)}no`, "no", `…${"a".repeat(100)}no`],
    ["the beginning of a cited part that is too long", `a${"b".repeat(400)}`, "b".repeat(400), `a${"b".repeat(298)}…`],
  ])("quotes show %s", (_, words, quote, shown) => {
    expect(quotedPart({ words, quote })).toBe(shown);
  });
});
