import { randomInt } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { newId } from "../../base/ids.ts";
import { newToken, sha256 } from "../../base/secrets/secrets.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import {
  decidePoll,
  type DeviceRow,
  normalUserCode,
  requirePending,
  unknownDeviceCode,
  USER_CODE_LENGTH,
  USER_CODE_LETTERS,
} from "./rules.ts";

/** An expired request stays in the database for this time, so that its device gets the error `expired_token`. */
const KEPT_AFTER_EXPIRY_MS = 3_600_000;

/** Scope of transactions about requests of devices. A request belongs to no organization before its approval. */
const DEVICES = "device-sign-in";

type Approval = { userId: string; organizationId: string };

export type DeviceStore = {
  /** The database stores only a hash of the device code. */
  create: (clientName: string, intervalSeconds: number) => Promise<{ deviceCode: string; request: DeviceRow }>;
  /** Returns the request with this user code, in any letter case and with any separators. */
  find: (userCode: string) => Promise<DeviceRow | undefined>;
  /** Throws when the request is unknown, expired, approved or denied. */
  approve: (userCode: string, approval: Approval) => Promise<void>;
  /** Denies a request. Throws in the same cases as `approve`. */
  deny: (userCode: string) => Promise<void>;
  /** Returns an approved request and deletes it, so that it gives only one key. Throws for every other request. */
  take: (deviceCode: string) => Promise<DeviceRow>;
};

export function createDeviceStore(db: Db): DeviceStore {
  const withCode = (tx: Db, userCode: string) =>
    tx.selectFrom("device_requests").selectAll().where("user_code", "=", normalUserCode(userCode)).executeTakeFirst();

  const decide = (
    userCode: string,
    decision: Pick<DeviceRow, "status"> & Partial<Pick<DeviceRow, "user_id" | "organization_id">>,
  ) =>
    transaction(db, DEVICES, async (tx) => {
      const { id } = requirePending(await withCode(tx, userCode), Date.now());
      await tx.updateTable("device_requests").set(decision).where("id", "=", id).execute();
    });

  return {
    create: (clientName, intervalSeconds) =>
      transaction(db, DEVICES, async (tx) => {
        const now = Date.now();
        const deviceCode = newToken();
        await tx
          .deleteFrom("device_requests")
          .where("expires_ms", "<", now - KEPT_AFTER_EXPIRY_MS)
          .execute();
        const request: DeviceRow = {
          id: newId("dev"),
          device_code_sha256: sha256(deviceCode),
          user_code: newUserCode(),
          client_name: clientName,
          status: "pending",
          user_id: null,
          organization_id: null,
          interval_seconds: intervalSeconds,
          polled_ms: null,
          expires_ms: now + LIMITS.deviceCodeSeconds * 1000,
          created_at: new Date(now).toISOString(),
        };
        await tx.insertInto("device_requests").values(request).execute();
        return { deviceCode, request };
      }),

    find: (userCode) => withCode(db, userCode),

    approve: (userCode, { userId, organizationId }) =>
      decide(userCode, { status: "approved", user_id: userId, organization_id: organizationId }),

    deny: (userCode) => decide(userCode, { status: "denied" }),

    async take(deviceCode) {
      const taken = await transaction(db, DEVICES, async (tx) => {
        const row = await tx
          .selectFrom("device_requests")
          .selectAll()
          .where("device_code_sha256", "=", sha256(deviceCode))
          .executeTakeFirst();
        if (!row) return { refusal: unknownDeviceCode() };
        const now = Date.now();
        const poll = decidePoll(row, now);
        if (poll.issue) {
          await tx.deleteFrom("device_requests").where("id", "=", row.id).execute();
          return { row };
        }
        await tx
          .updateTable("device_requests")
          .set({ polled_ms: now, interval_seconds: poll.intervalSeconds })
          .where("id", "=", row.id)
          .execute();
        return { refusal: poll.refusal };
      });
      // The error is thrown outside the transaction: a throw inside it would roll back the time of this request.
      if ("refusal" in taken) throw taken.refusal;
      return taken.row;
    },
  };
}

const newUserCode = (): string =>
  Array.from({ length: USER_CODE_LENGTH }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]).join("");
