import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/**
 * Starts a certified identity provider (the package oidc-provider) with its own pages. The login that somebody enters there is the
 * mail address of the signed-in person.
 */
export async function openRealIdentityProvider(redirectUri: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: "svc", clientSecret: "a-secret-of-the-client" };
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["a key of the spec's provider"] },
    jwks: {
      keys: [
        { ...(await exportJWK(privateKey)), use: "sig", alg: "ES256" },
        { ...(await exportJWK((await generateKeyPair("RS256", { extractable: true })).privateKey)), use: "sig" },
      ],
    },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, name: `Name of ${id.split("@")[0]}` }),
    }),
  });
  server.on("request", provider.callback());
  return {
    issuer,
    client,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
