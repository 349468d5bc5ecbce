import { DEVICE_GRANT, LIMITS, PAGES } from "@svc/contract";
import type { Context } from "koa";
import type { Caller } from "../../access/caller.ts";
import type { PeopleStore } from "../accounts/store/people.ts";
import type { KeyStore } from "../api-keys/store.ts";
import { AppError } from "../../base/errors.ts";
import { blockOf } from "../../http/address-block.ts";
import { ownOrigin } from "../../http/authenticate.ts";
import type { UnknownPathHint } from "../../http/listener.ts";
import type { Routes } from "../../http/operation.ts";
import { type SharedRateLimit, tooManyRequests } from "../../http/rate-limit.ts";
import { accessDenied, secondsLeft, shownUserCode, unknownUserCode } from "./rules.ts";
import type { DeviceStore } from "./store.ts";

type DeviceParts = {
  store: DeviceStore;
  keys: KeyStore;
  people: Pick<PeopleStore, "organizationsOf">;
  /** Limits new codes, by network. */
  codes: SharedRateLimit;
  /** Limits the user codes that are tried, by person and by network. */
  tries: SharedRateLimit;
  /** Limits the requests for a key, by network. */
  polls: SharedRateLimit;
  intervalSeconds: number;
  baseUrl: string | undefined;
};

export const hintOnDevicePage: UnknownPathHint = ({ path }) =>
  path === PAGES.device
    ? {
        message:
          "Open this address in a browser to approve the code, or approve it in a terminal: `svc login --approve CODE --email YOUR-ADDRESS`.",
      }
    : undefined;

export function deviceRoutes(parts: DeviceParts): Routes<"device"> {
  const { store, keys, people, codes, tries, polls, intervalSeconds, baseUrl } = parts;

  async function count(limit: SharedRateLimit, subject: string): Promise<void> {
    const window = await limit.count(subject);
    if (window.exceeded) throw tooManyRequests(window, `Too many requests. Wait ${window.resetSeconds} s.`);
  }

  /** Counts a tried user code, so that nobody can guess the codes of other people's devices. */
  async function countTry(caller: Caller, http: Context): Promise<void> {
    await count(tries, caller.userId);
    await count(tries, blockOf(http.ip));
  }

  return {
    device: {
      code: {
        admit: ({ http }) => count(codes, blockOf(http.ip)),
        handle: async ({ body, http }) => {
          const { deviceCode, request } = await store.create(body.client_name ?? "Device", intervalSeconds);
          const userCode = shownUserCode(request.user_code);
          const page = `${baseUrl ?? ownOrigin(http)}${PAGES.device}`;
          return {
            device_code: deviceCode,
            user_code: userCode,
            verification_uri: page,
            verification_uri_complete: `${page}?user_code=${userCode}`,
            expires_in: LIMITS.deviceCodeSeconds,
            interval: intervalSeconds,
          };
        },
      },

      token: {
        admit: ({ http }) => count(polls, blockOf(http.ip)),
        handle: async ({ body, audit }) => {
          if (body.grant_type !== DEVICE_GRANT)
            throw new AppError("unsupported_grant_type", `Send \`${DEVICE_GRANT}\` as \`grant_type\`.`);
          const { user_id, organization_id, client_name } = await store.take(body.device_code);
          const organizations = user_id === null ? [] : await people.organizationsOf(user_id);
          const organization = organizations.find(({ id }) => id === organization_id);
          if (user_id === null || !organization) throw accessDenied();
          await audit.concerns({ userId: user_id, organizationId: organization.id });
          const { key, secret } = await keys.create({
            organizationId: organization.id,
            projectId: null,
            userId: user_id,
            name: client_name,
          });
          audit.created(key.id);
          const { id, name } = organization;
          return { access_token: secret, token_type: "Bearer" as const, organization: { id, name } };
        },
      },

      get: async ({ caller, query, http }) => {
        await countTry(caller, http);
        const row = await store.find(query.user_code);
        const now = Date.now();
        if (!row || now >= row.expires_ms) throw unknownUserCode();
        return { client_name: row.client_name, status: row.status, expires_in: secondsLeft(row, now) };
      },

      approve: async ({ caller, body, http }) => {
        await countTry(caller, http);
        await store.approve(body.user_code, caller);
      },

      deny: async ({ caller, body, http }) => {
        await countTry(caller, http);
        await store.deny(body.user_code);
      },
    },
  };
}
