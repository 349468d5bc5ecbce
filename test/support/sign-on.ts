import { expect } from "vitest";
import type { FakeIdentityProvider } from "./identity-provider/fake.ts";
import { cookieOf } from "./people.ts";
import { jsonOf, type Reply, send } from "./request.ts";

/** The organization of a service at which people sign in, and the organization's identity provider. */
export type SignOnPlace = { url: string; organization: string; provider: FakeIdentityProvider };

/** Starts a sign-in in a browser. */
export async function startSignOn({ url, organization }: Omit<SignOnPlace, "provider">, cookie?: string) {
  const reply = await send(url, {
    method: "POST",
    path: "/api/auth/single-sign-on/start",
    json: { organization_id: organization },
    ...(cookie !== undefined && { cookie }),
  });
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
  return { url: jsonOf<{ url: string }>(reply).url, browser: cookieOf(reply) };
}

/** Finishes a sign-in with the answer of the provider. */
export const finishSignOn = (url: string, browser: string | undefined, json: object): Promise<Reply> =>
  send(url, {
    method: "POST",
    path: "/api/auth/single-sign-on/finish",
    json,
    ...(browser !== undefined && { cookie: browser }),
  });

/** Signs a person in at the identity provider of an organization. */
export async function signOnAt(
  place: SignOnPlace,
  person: { sub: string; email?: string },
  lies?: Parameters<FakeIdentityProvider["authorize"]>[2],
): Promise<Reply> {
  const { url, browser } = await startSignOn(place);
  return finishSignOn(place.url, browser, await place.provider.authorize(url, person, lies));
}
