import { LIMITS, PAGES, type SingleSignOn } from "@svc/contract";
import type { Context } from "koa";
import type { z } from "zod";
import type { Sessions } from "../../access/sessions.ts";
import { AppError } from "../../base/errors.ts";
import { newToken } from "../../base/secrets/secrets.ts";
import { ownOrigin } from "../../http/authenticate.ts";
import type { Routes } from "../../http/operation.ts";
import type { Db } from "../../stores/relational.ts";
import type { SessionStarts } from "../accounts/session-starts.ts";
import { accountOf } from "./account-of.ts";
import type { Providers } from "./provider.ts";
import { proofRefused, shownErrorCode, signInOver } from "./rules.ts";
import type { ProviderRow, SingleSignOnStore } from "./store.ts";

export type SingleSignOnNeeds = {
  admit: (request: { http: Context }) => Promise<void>;
  startSession: SessionStarts["startSession"];
};

type Parts = SingleSignOnNeeds & {
  db: Db;
  store: SingleSignOnStore;
  providers: Providers;
  sessions: Sessions;
  openSignUp: boolean;
  baseUrl: string | undefined;
};

/** Cookie that binds a sign-in to the browser that started it. */
const COOKIE = "svc.single_sign_on";
const TOKEN = /^[\w-]{43}$/;

export function singleSignOnRoutes(parts: Parts): Routes<"singleSignOn"> {
  const { db, store, providers, sessions, admit } = parts;
  const addressOf = (http: Context, page: string) => `${parts.baseUrl ?? ownOrigin(http)}${page}`;

  async function secretOf(organizationId: string): Promise<string> {
    const secret = await store.secretOf(organizationId);
    if (secret !== undefined) return secret;
    throw new AppError(
      "conflict",
      "The service cannot read the client secret of the single sign-on, because the encryption key that sealed it is missing. Ask an admin to enter the secret again.",
    );
  }

  async function providerOf({
    email,
    organization_id,
  }: {
    email?: string | undefined;
    organization_id?: string | undefined;
  }) {
    if (organization_id !== undefined) {
      const provider = await store.find(organization_id);
      if (provider) return provider;
      throw withoutProvider("This organization has no single sign-on.");
    }
    if (email === undefined) throw nobodyNamed();
    if (parts.openSignUp)
      throw withoutProvider(
        "This service finds no organization by an address, because anybody could claim its domain here. Ask an admin for the sign-in address of your organization.",
      );
    const found = await store.ofDomain(email.split("@")[1]!);
    if (found.length > 1)
      throw new AppError(
        "conflict",
        "Several organizations sign in addresses of this domain. Ask an admin for the sign-in address of your organization.",
      );
    if (found[0] === undefined) throw withoutProvider("No organization signs in addresses of this domain.");
    return found[0];
  }

  return {
    singleSignOn: {
      get: async ({ caller: { organizationId }, http }) => {
        const provider = await store.find(organizationId);
        return {
          singleSignOn: provider === undefined ? null : present(provider),
          redirectUri: addressOf(http, PAGES.signedOn),
          signInAddress: addressOf(http, `${PAGES.singleSignOn}?organization=${organizationId}`),
        };
      },

      set: async ({ caller: { organizationId }, body }) => {
        await providers.describe(body.issuer).catch(refuseIssuer);
        const { issuer, clientId, clientSecret, required = false, joinRole = null } = body;
        const provider = { issuer, clientId, clientSecret, domains: [...new Set(body.domains)], required, joinRole };
        const ended = (tx: Db) => sessions.endStartedBy(tx, organizationId);
        return { singleSignOn: present(await store.set(organizationId, provider, ended)) };
      },

      remove: ({ caller: { organizationId } }) =>
        store.remove(organizationId, (tx) => sessions.endStartedBy(tx, organizationId)),

      start: {
        admit,
        handle: async ({ body, http }) => {
          const { organization_id, issuer, client_id } = await providerOf(body);
          const description = await providers.describe(issuer);
          const browser = browserOf(http) ?? newToken();
          const redirect_uri = addressOf(http, PAGES.signedOn);
          const started = await store.begin(browser, { organization_id, issuer, redirect_uri });
          keepBrowser(http, browser, redirect_uri);
          return { url: providers.addressOf(description, client_id, { ...startedOf(started), state: started.state }) };
        },
      },

      finish: {
        admit,
        handle: async ({ body: { state, code, iss, error }, http, audit }) => {
          const browser = browserOf(http);
          const started = browser === undefined ? undefined : await store.take(state, browser);
          if (!started) throw signInOver();
          const { organization_id: organizationId, issuer } = started;
          const provider = await store.find(organizationId);
          if (provider?.issuer !== issuer) throw signInOver();
          if (iss !== undefined && iss !== issuer) throw proofRefused("it is of another provider");
          if (code === undefined) throw proofRefused(`it refused the sign-in with ${shownErrorCode(error)}`);
          const description = await providers.describe(issuer);
          if (description.authorization_response_iss_parameter_supported && iss === undefined)
            throw proofRefused("it does not name the provider");
          const client = { issuer, clientId: provider.client_id, clientSecret: await secretOf(organizationId) };
          const identity = await providers.identityOf(description, client, code, startedOf(started));
          const userId = await accountOf(db, sessions, provider, identity);
          const signedIn = await sessions.start(userId, http.headers["user-agent"], organizationId);
          return parts.startSession({ http, audit }, signedIn, organizationId);
        },
      },
    },
  };
}

const startedOf = ({
  nonce,
  code_verifier,
  redirect_uri,
}: {
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
}) => ({
  nonce,
  codeVerifier: code_verifier,
  redirectUri: redirect_uri,
});

function browserOf(http: Context): string | undefined {
  const token = http.cookies.get(COOKIE);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

function keepBrowser(http: Context, browser: string, address: string): void {
  const secure = address.startsWith("https:") ? "; Secure" : "";
  http.append(
    "Set-Cookie",
    `${COOKIE}=${browser}; Path=/api/auth/single-sign-on; Max-Age=${LIMITS.singleSignOnSeconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}

/**
 * Throws the error for an issuer that cannot be used. It is `unprocessable` and not `provider_unavailable`, because a field of the request
 * is wrong.
 */
function refuseIssuer(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError("unprocessable", error.message, { issues: [{ path: "issuer", message: error.message }] });
}

function nobodyNamed(): AppError {
  const message = "Send `email` or `organization_id`.";
  return new AppError("unprocessable", message, { issues: [{ path: "email", message }] });
}

const withoutProvider = (message: string) =>
  new AppError("not_found", `${message} Sign in with your password, or ask an admin.`);

const present = (row: ProviderRow): z.infer<typeof SingleSignOn> => ({
  issuer: row.issuer,
  clientId: row.client_id,
  domains: row.domains,
  required: row.required === 1,
  joinRole: row.join_role,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
