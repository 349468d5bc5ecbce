import { DEVICE_GRANT, ORGANIZATION_HEADER } from "@svc/contract";
import { newAddress, newDevice } from "../../support/operation-resources.ts";
import { PASSWORD, signUpAsk } from "../../support/people.ts";
import { type Ask, send } from "../../support/request.ts";
import type { Row } from "./row.ts";

const ofDevices: Row[] = [
  {
    name: "a device whose code is not approved yet",
    code: "authorization_pending",
    ask: async (w) => tokenAsk((await newDevice(w)).device_code),
  },
  {
    name: "a device that asks again before the interval is over",
    code: "slow_down",
    ask: async (w) => {
      const { device_code } = await newDevice(w);
      await send(w.url, tokenAsk(device_code));
      return tokenAsk(device_code);
    },
  },
  {
    name: "a device that a person denied",
    code: "access_denied",
    ask: async (w) => {
      const { device_code, user_code } = await newDevice(w);
      await w.member.client.device.deny({ user_code });
      return tokenAsk(device_code);
    },
  },
  {
    name: "a device code that gave its key already",
    code: "invalid_grant",
    ask: async (w) => {
      const { device_code, user_code } = await newDevice(w);
      await w.member.client.device.approve({ user_code });
      await send(w.url, tokenAsk(device_code));
      return tokenAsk(device_code);
    },
  },
  { name: "an unknown device code", code: "invalid_grant", ask: () => tokenAsk("nonsense") },
  {
    name: "another grant than a device code",
    code: "unsupported_grant_type",
    ask: async (w) => {
      const { device_code } = await newDevice(w);
      return { ...tokenAsk(device_code), json: { grant_type: "password", device_code } };
    },
  },
  {
    name: "an unknown user code",
    code: "not_found",
    ask: (w) => ({
      method: "POST",
      path: "/api/device/approve",
      cookie: w.viewer.cookie,
      json: { user_code: "BBBB-BBBB" },
    }),
  },
  {
    name: "a user code that is approved already",
    code: "conflict",
    ask: async (w) => {
      const { user_code } = await newDevice(w);
      await w.viewer.client.device.approve({ user_code });
      return { method: "POST", path: "/api/device/deny", cookie: w.viewer.cookie, json: { user_code } };
    },
  },
];

function tokenAsk(device_code: string): Ask {
  return { method: "POST", path: "/api/device/token", json: { grant_type: DEVICE_GRANT, device_code } };
}

const ofPeople: Row[] = [
  {
    name: "an unknown invitation token",
    code: "not_found",
    ask: () => ({ method: "POST", path: "/v1/invitations/preview", json: { token: "nonsense" } }),
  },
  {
    name: "accepting an unknown invitation",
    code: "not_found",
    ask: (w) => ({
      method: "POST",
      path: "/v1/invitations/accept",
      cookie: w.viewer.cookie,
      json: { token: "nonsense" },
    }),
  },
  {
    name: "accepting an invitation for another address",
    code: "not_permitted",
    ask: async (w) => {
      const { token } = await w.admin.invitations.create({ email: newAddress(), role: "admin" });
      return { method: "POST", path: "/v1/invitations/accept", cookie: w.stranger.cookie, json: { token } };
    },
  },
  {
    name: "signing up with an invitation for an address that has an account",
    code: "conflict",
    ask: async (w) => {
      const { token } = await w.admin.invitations.create({ email: w.stranger.email, role: "viewer" });
      return signUpAsk(w.stranger.email, { invitation_token: token });
    },
  },
  {
    name: "changing the password with a wrong one",
    code: "not_permitted",
    ask: (w) => ({
      method: "POST",
      path: "/api/auth/change-password",
      cookie: w.viewer.cookie,
      json: { current_password: "not the password", new_password: PASSWORD },
    }),
  },
  {
    name: "deleting the account with a wrong password",
    code: "not_permitted",
    ask: (w) => ({
      method: "POST",
      path: "/api/auth/delete-user",
      cookie: w.viewer.cookie,
      json: { password: "not the password" },
    }),
  },
  {
    name: "an unknown token for a new password",
    code: "not_permitted",
    ask: () => ({
      method: "POST",
      path: "/api/auth/reset-password",
      json: { token: "nonsense", new_password: PASSWORD },
    }),
  },
  {
    name: "leaving as the last admin",
    code: "conflict",
    ask: (w) => ({ method: "POST", path: "/v1/account/leave-organization", cookie: w.stranger.cookie }),
  },
  {
    name: "switching to an organization of others",
    code: "not_found",
    ask: (w) => ({
      method: "POST",
      path: "/api/auth/organization",
      cookie: w.viewer.cookie,
      json: { organization_id: w.stranger.session.organization.id },
    }),
  },
  {
    name: "ending a session of another person",
    code: "not_found",
    ask: async (w) => {
      const { sessions } = await w.stranger.client.accounts.listSessions();
      return {
        method: "POST",
        path: "/api/auth/revoke-session",
        cookie: w.viewer.cookie,
        json: { session_id: sessions[0]!.id },
      };
    },
  },
  {
    name: "a request that names an organization of others",
    code: "not_authenticated",
    ask: (w) => ({
      method: "GET",
      path: "/v1/organization",
      cookie: w.viewer.cookie,
      headers: { [ORGANIZATION_HEADER]: w.stranger.session.organization.id },
    }),
  },
];

export const people: Row[] = [...ofDevices, ...ofPeople];
