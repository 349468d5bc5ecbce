import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

type Claims = Record<string, unknown>;

/** Faults that the fake provider puts into the answers of one sign-in. */
type Lies = {
  claims?: Claims;
  /** Claims to leave out of the ID token. */
  without?: string[];
  /** Returns the token to send instead of the signed one. */
  token?: (claims: Claims) => Promise<string> | string;
  /** Claims that only the answer of the userinfo endpoint has. */
  profile?: Claims;
};

export type FakeIdentityProvider = Awaited<ReturnType<typeof openFakeIdentityProvider>>;

/**
 * Starts an OpenID Connect provider that can give wrong answers. `authorize` acts as a person who signs in at the provider: it
 * takes the address that the browser opened, and returns the parameters with which the provider sends the browser back.
 */
export async function openFakeIdentityProvider() {
  const [{ publicKey, privateKey }, stranger] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const client = { clientId: "svc", clientSecret: "s3cret+/:%of-a-client" };
  const codes = new Map<string, { challenge: string; redirectUri: string; idToken: string }>();
  const profiles = new Map<string, Claims>();
  const changes: { description: Claims; redirectTo?: string; page?: string } = { description: {} };
  let serial = 0;

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const sent = new URLSearchParams(await text(request));
    switch (request.url) {
      case "/.well-known/openid-configuration":
        if (changes.redirectTo !== undefined) {
          response.writeHead(302, { location: changes.redirectTo });
          return void response.end("{}");
        }
        if (changes.page !== undefined) {
          response.writeHead(200, { "content-type": "text/html" });
          return void response.end(changes.page);
        }
        return send(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/profile`,
          ...changes.description,
        });
      case "/keys":
        return send(200, { keys: [{ ...(await exportJWK(publicKey)), kid: "one", use: "sig" }] });
      case "/token": {
        const code = codes.get(sent.get("code") ?? "");
        const credential = Buffer.from("svc:s3cret%2B%2F%3A%25of-a-client");
        if (request.headers.authorization !== `Basic ${credential.toString("base64")}`)
          return send(401, { error: "invalid_client" });
        const challenge = createHash("sha256")
          .update(sent.get("code_verifier") ?? "")
          .digest("base64url");
        if (code?.challenge !== challenge || code.redirectUri !== sent.get("redirect_uri"))
          return send(400, { error: "invalid_grant" });
        codes.delete(sent.get("code")!);
        return send(200, { id_token: code.idToken, access_token: sent.get("code"), token_type: "Bearer" });
      }
      case "/profile": {
        const profile = profiles.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
        return send(profile ? 200 : 401, profile ?? {});
      }
      default:
        return send(404, {});
    }
  }

  const sign = (claims: Claims, key = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key);

  return {
    issuer,
    client,
    changes,
    sign,
    /** Signs with a key that the provider does not publish. */
    signAsStranger: (claims: Claims) => sign(claims, stranger.privateKey),
    publicKey,

    async authorize(address: string, person: { sub: string; email?: string }, lies: Lies = {}) {
      const asked = new URL(address).searchParams;
      const now = Math.floor(Date.now() / 1000);
      const right: Claims = {
        iss: issuer,
        aud: client.clientId,
        iat: now,
        exp: now + 300,
        nonce: asked.get("nonce"),
        email_verified: true,
        ...person,
        ...lies.claims,
      };
      const claims = Object.fromEntries(Object.entries(right).filter(([name]) => !lies.without?.includes(name)));
      const code = `code-${++serial}`;
      const idToken = await (lies.token ?? sign)(claims);
      codes.set(code, {
        challenge: asked.get("code_challenge")!,
        redirectUri: asked.get("redirect_uri")!,
        idToken,
      });
      profiles.set(code, { sub: person.sub, ...lies.profile });
      return { code, state: asked.get("state")! };
    },

    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
