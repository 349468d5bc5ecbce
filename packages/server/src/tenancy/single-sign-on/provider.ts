import { createHash, timingSafeEqual } from "node:crypto";
import { issueText } from "@svc/contract";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { exchange, OutboundFailure, type PrivateAddresses } from "../../base/net/outbound.ts";
import { descriptionOf, endpointOf, type Identity, proofRefused, shownErrorCode } from "./rules.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 512 * 1024;
const RETRY_AFTER_SECONDS = 10;
const CLOCKS_APART_SECONDS = 60;

/** Asymmetric signature algorithms: only the provider has the private key. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const endpoint = z.string().transform((address, context) => {
  const url = endpointOf(address);
  if (url) return url;
  context.addIssue({ code: "custom", message: "This must be an https address." });
  return z.NEVER;
});

/** Provider metadata of OpenID Connect Discovery 1.0, section 3. */
const Description = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});
type Description = z.infer<typeof Description>;

const Tokens = z.object({ id_token: z.string(), access_token: z.string().optional() });
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
const Claims = z.object({
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  name: z.string().optional(),
});

export type Client = { issuer: string; clientId: string; clientSecret: string };
/** Values of a started sign-in that the provider's answer must match. */
export type Started = { nonce: string; codeVerifier: string; redirectUri: string };

/** Sends requests to identity providers. Members of organizations choose their addresses, so the address guard checks each address. */
export type Providers = {
  /** Throws `provider_unavailable` when the provider cannot be reached or used. */
  describe: (issuer: string) => Promise<Description>;
  addressOf: (provider: Description, clientId: string, started: Started & { state: string }) => string;
  identityOf: (provider: Description, client: Client, code: string, started: Started) => Promise<Identity>;
};

export function createProviders(privateAddresses: PrivateAddresses): Providers {
  type Ask = { url: URL; form?: URLSearchParams; headers?: Record<string, string> };

  async function ask({ url, form, headers }: Ask): Promise<{ status: number; json: unknown }> {
    try {
      const { status, body } = await exchange({
        method: form ? "POST" : "GET",
        url,
        ...(headers && { headers }),
        body: form && { type: "application/x-www-form-urlencoded", bytes: Buffer.from(form.toString()) },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        privateAddresses,
        once: form !== undefined,
      });
      return { status, json: jsonIn(body) };
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      throw unusable(`${error.message}.`);
    }
  }

  async function read<T>(schema: z.ZodType<T>, what: string, asked: Ask): Promise<T> {
    const { status, json } = await ask(asked);
    if (status !== 200)
      throw unusable(`${asked.url.host} answered the request for its ${what} with the status ${status}.`);
    if (json === undefined)
      throw unusable(`${asked.url.host} answered the request for its ${what} with something other than JSON.`);
    const parsed = schema.safeParse(json, { error: issueText });
    if (parsed.success) return parsed.data;
    const { path, message } = parsed.error.issues[0]!;
    const place = path.length === 0 ? "" : ` at ${path.join(".")}`;
    throw unusable(`the ${what} of ${asked.url.host} is wrong${place}: ${message}`);
  }

  async function tokensFor(provider: Description, client: Client, code: string, started: Started) {
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: started.redirectUri,
      code_verifier: started.codeVerifier,
    });
    const headers: Record<string, string> = {};
    if (provider.token_endpoint_auth_methods_supported.includes("client_secret_basic")) {
      const credential = `${formEncoded(client.clientId)}:${formEncoded(client.clientSecret)}`;
      headers["authorization"] = `Basic ${Buffer.from(credential).toString("base64")}`;
    } else {
      form.set("client_id", client.clientId);
      form.set("client_secret", client.clientSecret);
    }
    const { status, json } = await ask({ url: provider.token_endpoint, form, headers });
    if (status >= 500) throw unusable(`${provider.token_endpoint.host} answered with the status ${status}.`);
    const tokens = Tokens.safeParse(json);
    if (status === 200 && tokens.success) return tokens.data;
    throw proofRefused(`it answered the code with ${shownErrorCode((json as { error?: unknown } | undefined)?.error)}`);
  }

  return {
    async describe(issuer) {
      const url = descriptionOf(issuer);
      if (!url) throw unusable("the issuer has to be an https address without a query.");
      const description = await read(Description, "description", { url });
      if (description.issuer !== issuer)
        throw unusable(`${url.host} describes another issuer. Enter the issuer exactly as the provider writes it.`);
      return description;
    },

    addressOf({ authorization_endpoint }, clientId, { state, nonce, codeVerifier, redirectUri }) {
      const url = new URL(authorization_endpoint);
      const parameters = {
        response_type: "code",
        response_mode: "query",
        scope: "openid email profile",
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async identityOf(provider, client, code, started) {
      const tokens = await tokensFor(provider, client, code, started);
      const keys = await read(Keys, "keys", { url: provider.jwks_uri });
      const claims = await verified(tokens.id_token, keys as JSONWebKeySet, client, started.nonce);
      const subject = claims.sub!;
      let profile = Claims.safeParse(claims).data ?? {};
      if (profile.email === undefined && provider.userinfo_endpoint && tokens.access_token !== undefined) {
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const told = await read(Claims.extend({ sub: z.string() }), "profile", {
          url: provider.userinfo_endpoint,
          headers,
        });
        if (told.sub !== subject) throw proofRefused("its profile is of another person");
        profile = told;
      }
      const { email, email_verified, name } = profile;
      return { subject, email, emailVerified: email_verified === true || email_verified === "true", name };
    },
  };
}

/** Returns the claims of an ID token. Throws when the token is invalid (OpenID Connect Core 1.0, section 3.1.3.7). */
async function verified(token: string, keys: JSONWebKeySet, client: Client, nonce: string): Promise<JWTPayload> {
  let claims: JWTPayload;
  try {
    ({ payload: claims } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ALGORITHMS,
      issuer: client.issuer,
      audience: client.clientId,
      requiredClaims: ["sub", "iat", "exp"],
      clockTolerance: CLOCKS_APART_SECONDS,
    }));
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw proofRefused(REASONS[error.code] ?? "its token is not signed as it has to be");
  }
  const isForUs =
    claims["azp"] === undefined
      ? !Array.isArray(claims.aud) || claims.aud.length === 1
      : claims["azp"] === client.clientId;
  if (!isForUs) throw proofRefused("its token is for another application");
  if (typeof claims["nonce"] !== "string" || !isEqual(claims["nonce"], nonce))
    throw proofRefused("its token belongs to another sign-in");
  if (typeof claims.sub !== "string" || claims.sub === "" || claims.sub.length > 255)
    throw proofRefused("its token names no person");
  return claims;
}

const REASONS: Record<string, string> = {
  ERR_JWT_EXPIRED: "its token has expired; the clocks of both may differ",
  ERR_JWT_CLAIM_VALIDATION_FAILED: "its token is of another provider, or for another application",
};

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the text in the encoding that RFC 6749, section 2.3.1, requires for client credentials. */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const unusable = (why: string) =>
  new AppError(
    "provider_unavailable",
    `The identity provider cannot be used: ${why} Try again shortly, or ask an admin to check the single sign-on.`,
    undefined,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
