import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InsertQueryNode, type KyselyPlugin, type QueryId } from "kysely";
import { expect, test } from "vitest";
import { createSessions } from "../packages/server/src/access/sessions.ts";
import { openStoreOf } from "./support/engine.ts";
import { FAST_PASSWORDS } from "./support/fast-passwords.ts";
import { PASSWORD } from "./support/people.ts";

const OPTIONS = {
  secret: "a secret of the specs, of 32 characters",
  baseUrl: "http://127.0.0.1:3100",
  passwordHash: FAST_PASSWORDS,
};

test("a sign-in whose session is ended at the same moment, as by a sign-out everywhere, is refused and not a fault", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-session-"));
  const store = await openStoreOf(folder);
  const { db } = store;
  const inserts = new WeakSet<QueryId>();
  const endsSessions: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (InsertQueryNode.is(node) && node.into?.table.identifier.name === "sessions") inserts.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (inserts.has(queryId)) await db.deleteFrom("sessions").execute();
      return result;
    },
  };
  const sessions = createSessions({ ...store, db: db.withPlugin(endsSessions) }, OPTIONS);
  const calm = createSessions(store, OPTIONS);
  const address = "ada@acme.test";
  const { userId } = (await calm.signUp({ name: "Ada", signInName: address, address, password: PASSWORD }, undefined))!;
  await expect(calm.start(userId, undefined)).resolves.toMatchObject({ userId });
  await expect(sessions.start(userId, undefined)).rejects.toMatchObject({ code: "not_authenticated" });
  await store.close();
  rmSync(folder, { recursive: true });
});
