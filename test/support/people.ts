import type { Role, Session } from "@svc/contract";
import { type Client, createClient } from "@svc/sdk";
import { expect } from "vitest";
import type { z } from "zod";
import { type Ask, jsonOf, type Reply, send } from "./request.ts";

export const PASSWORD = "a long enough password";

/** A person with a session, a client that uses it, and an organization-wide key. */
export type Person = { session: z.infer<typeof Session>; email: string; cookie: string; client: Client; key: string };

export const signUpAsk = (email: string, more: Record<string, unknown> = {}): Ask => ({
  method: "POST",
  path: "/api/auth/sign-up/email",
  json: { name: email.split("@")[0], email, password: PASSWORD, ...more },
});

/** Returns the `name=value` of the session cookie that a reply sets. */
export const cookieOf = (reply: Reply): string =>
  reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

/** Signs a person up, with the token of an invitation or as the first person of an organization. */
export async function signUp(url: string, email: string, invitationToken?: string): Promise<Person> {
  const reply = await send(
    url,
    signUpAsk(email, invitationToken === undefined ? {} : { invitation_token: invitationToken }),
  );
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 201 });
  const cookie = cookieOf(reply);
  const client = createClient({ baseUrl: url, cookie, retries: 0 });
  const { secret } = await client.keys.create({ name: `of ${email}` });
  return { session: jsonOf(reply), email, cookie, client, key: secret };
}

/** Invites a person and signs them up. */
export async function join(url: string, admin: Client, email: string, role: Role): Promise<Person> {
  const { token } = await admin.invitations.create({ email, role });
  return signUp(url, email, token);
}
