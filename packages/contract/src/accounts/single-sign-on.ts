import { z } from "zod";
import { managesOrganization, overseesOrganization } from "../core/access.ts";
import { idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { email, textUpTo, VISIBLE_ASCII } from "../core/texts.ts";
import { Role, Session } from "./accounts.ts";

const visible = (max: number) =>
  textUpTo(max).refine((text) => VISIBLE_ASCII.test(text), "Use only visible ASCII characters, without spaces.");

const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/, "Write a domain such as example.com.");

/** Identity provider with which members of the organization sign in. No response contains the client secret. */
export const SingleSignOn = z
  .strictObject({
    issuer: z.string().meta({ example: "https://login.example.com" }),
    clientId: z.string(),
    domains: z
      .array(z.string())
      .meta({ description: "Domains of the e-mail addresses that the provider may sign in." }),
    required: z.boolean().meta({
      description: "Whether members and viewers act in the organization only after a sign-in with the provider.",
    }),
    joinRole: Role.exclude(["admin"]).nullable().meta({
      description: "Role of people who sign in without being a member; null: only members sign in.",
    }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "SingleSignOn" });

const one = { tag: "Accounts", path: "/v1/organization/single-sign-on" } as const;
const isPublic = { tag: "Accounts", credential: "public", scope: "none", method: "POST" } as const;

/** Sign-in with an identity provider of the organization, by OpenID Connect. */
export const singleSignOn = {
  /**
   * Returns the organization's identity provider, null without one. Also returns the redirect URI for the provider, and the page
   * on which members sign in.
   */
  get: getOperation({
    ...one,
    ...overseesOrganization,
    audit: { leftOut: "It shows no secret, and the page of admins reads it." },
    summary: "Show the single sign-on",
    answer: z.strictObject({
      singleSignOn: SingleSignOn.nullable().meta({ description: "Null without an identity provider." }),
      redirectUri: z.string().meta({ description: "The redirect URI to enter at the identity provider." }),
      signInAddress: z.string().meta({ description: "The page on which members of this organization sign in." }),
    }),
  }),

  /**
   * Sets the organization's identity provider. The service encrypts the client secret and never returns it. The service reads the
   * provider's OpenID configuration during the request, and rejects a provider that it cannot use.
   */
  set: operation({
    ...one,
    ...managesOrganization,
    method: "PUT",
    summary: "Set the single sign-on",
    description:
      "The service reads `/.well-known/openid-configuration` of the issuer at once, and refuses a provider that it cannot reach or use. It seals the client secret and never returns it. Another issuer needs the secret again, and ends the links of accounts to identities of the former one.",
    body: z.strictObject({
      issuer: visible(500).meta({
        description: "The provider's address, with https; http only for this machine itself.",
        example: "https://login.example.com",
      }),
      clientId: visible(300),
      clientSecret: visible(1_000)
        .optional()
        .meta({ description: "Needed at first and with another issuer or client. Without it the present one stays." }),
      domains: z
        .array(domain)
        .min(1)
        .max(LIMITS.domainsOfSingleSignOn)
        .meta({
          description: "Domains of the e-mail addresses that the provider may sign in.",
          example: ["example.com"],
        }),
      required: z.boolean().optional().meta({
        description:
          "`true`: members and viewers act in the organization only after a sign-in with the provider. Admins keep their passwords as the way back. API keys work on.",
      }),
      joinRole: Role.exclude(["admin"]).nullable().optional().meta({
        description:
          "People with an address of these domains and without an account become members with this role. Without it, only members sign in.",
      }),
    }),
    status: 200,
    answer: z.strictObject({ singleSignOn: SingleSignOn }),
  }),

  /** Removes the organization's identity provider, and ends all sessions that began with a sign-in at this provider. */
  remove: deleteOperation({
    ...one,
    ...managesOrganization,
    summary: "Remove the single sign-on",
    description:
      "Sessions that the provider started end. Accounts stay; people without a password reset it by mail. Without a provider nothing changes.",
  }),

  /**
   * Starts a sign-in with an identity provider. Sets a cookie that binds the sign-in to the browser, and returns the address at
   * the provider.
   */
  start: operation({
    ...isPublic,
    path: "/api/auth/single-sign-on/start",
    audit: { leftOut: "Nobody knows yet who signs in; the end of the sign-in has its line." },
    summary: "Start a sign-in with the organization's identity provider",
    description:
      "Open `url` in the browser that gets the cookie of this answer. Name the organization, or the person's address: a service with open sign-up finds no organization by an address, because anybody could claim its domain there.",
    body: z.strictObject({ email: email.optional(), organization_id: idInput("org").optional() }),
    status: 200,
    answer: z.strictObject({
      url: z.string().meta({ description: "The address at the identity provider to open now." }),
    }),
    errors: ["not_found", "conflict", "provider_unavailable", "too_many_requests"],
  }),

  /** Finishes a sign-in with the parameters of the provider's redirect, and sets the session cookie. */
  finish: operation({
    ...isPublic,
    path: "/api/auth/single-sign-on/finish",
    audit: "account",
    summary: "Finish a sign-in with the organization's identity provider",
    description:
      "Takes the parameters with which the provider sent the browser back. The session acts in the provider's organization only. A sign-in works once, within ten minutes, in the browser that started it.",
    body: z.strictObject({
      state: z.string().min(1).max(200),
      code: z.string().min(1).max(4_000).optional(),
      iss: z.string().max(500).optional(),
      error: z.string().max(200).optional(),
    }),
    status: 200,
    answer: Session,
    errors: ["not_authenticated", "not_permitted", "conflict", "provider_unavailable", "too_many_requests"],
  }),
};
