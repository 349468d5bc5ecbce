import type { Passkey } from "@svc/contract";
import type { Context } from "koa";
import type { z } from "zod";
import { notFound } from "../../base/errors.ts";
import type { Sessions } from "../../access/sessions.ts";
import type { Routes } from "../../http/operation.ts";
import type { passwordRequired } from "../accounts/routes.ts";
import type { SessionStarts } from "../accounts/session-starts.ts";
import type { PeopleStore } from "../accounts/store/people.ts";
import type { SecondFactorCheck } from "./check.ts";
import { PASSKEY_ALGORITHMS } from "./passkey-proof.ts";
import type { PasskeyRow, Passkeys } from "./store/passkeys.ts";
import { passkeyRefusedAtSignIn } from "./rules.ts";
import type { SecondFactorStore } from "./store/factors.ts";

type Parts = {
  passkeys: Passkeys;
  store: SecondFactorStore;
  check: SecondFactorCheck;
  people: Pick<PeopleStore, "find">;
  sessions: Pick<Sessions, "start">;
  starts: Pick<SessionStarts, "startSession">;
  admit: (request: { http: Context }) => Promise<void>;
  /** Counts an attempt and throws when the password of the signed-in person is wrong. */
  requirePassword: ReturnType<typeof passwordRequired>;
};

export function passkeyRoutes(parts: Parts): Routes<"passkeys"> {
  const { passkeys, store, check, people, sessions, starts, admit, requirePassword } = parts;
  return {
    passkeys: {
      list: async ({ caller }) => ({ passkeys: (await passkeys.list(caller.userId)).map(present) }),

      options: async ({ caller, body: { password, ...shown }, http, audit }) => {
        const { userId } = caller;
        const { rpId } = passkeys.placeOf(http);
        await requirePassword({ caller, http, audit }, password);
        if (await store.has(userId)) await check.ofChange(http, userId, shown);
        const { email, name } = (await people.find(userId))!;
        return {
          challenge: await passkeys.newChallenge(userId),
          rp_id: rpId,
          user: { id: Buffer.from(userId).toString("base64url"), name: email, display_name: name },
          algorithms: [...PASSKEY_ALGORITHMS],
          exclude: (await passkeys.list(userId)).map(({ credential_id }) => credential_id),
        };
      },

      add: async ({ caller: { userId, sessionId }, body: { name, ...given }, http, audit }) => {
        const place = passkeys.placeOf(http);
        await audit.concerns({ userId, sessionId });
        await passkeys.takeNew(given, userId);
        const { added, recoveryCodes } = await store.addWith(userId, (tx) =>
          passkeys.add(tx, { userId, name }, given, place),
        );
        audit.created(added.id);
        return { passkey: present(added), recovery_codes: recoveryCodes };
      },

      remove: async ({ caller, body: { passkey_id, password, ...shown }, http, audit }) => {
        const { userId } = caller;
        if (!(await passkeys.list(userId)).some(({ id }) => id === passkey_id)) throw notFound();
        await requirePassword({ caller, http, audit }, password);
        await check.ofChange(http, userId, shown);
        if (!(await store.removeWith(userId, (tx) => passkeys.remove(tx, userId, passkey_id)))) throw notFound();
      },

      challenge: async ({ http }) => {
        await admit({ http });
        const { rpId } = passkeys.placeOf(http);
        return { challenge: await passkeys.newChallenge(null), rp_id: rpId };
      },

      signIn: {
        admit,
        handle: async ({ body: { passkey, organization_id }, http, audit }) => {
          const userId = await passkeys.holderOf(passkey, passkeys.placeOf(http)).catch(passkeyRefusedAtSignIn);
          const signedIn = await sessions.start(userId, http.headers["user-agent"]);
          return starts.startSession({ http, audit }, signedIn, organization_id);
        },
      },
    },
  };
}

const present = ({ id, name, rp_id, created_at, last_used_at }: PasskeyRow): z.infer<typeof Passkey> => ({
  id,
  name,
  rp_id,
  created_at,
  last_used_at,
});
