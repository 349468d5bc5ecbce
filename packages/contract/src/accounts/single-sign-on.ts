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
      description:
        "Role of a person without an account who signs in with the provider and so becomes a member; null: only members can sign in.",
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
   * Returns the organization's identity provider, or null when none is set. Also returns the redirect URI for the provider, and the page on
   * which members sign in.
   */
  get: getOperation({
    ...one,
    ...overseesOrganization,
    audit: { leftOut: "The answer contains no secret, and a page for admins sends this request." },
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
      "The service reads `/.well-known/openid-configuration` of the issuer at once, and refuses a provider that it cannot reach or use. It encrypts the client secret and never returns it. A change of the issuer requires the secret again, and removes the links between accounts and identities of the former issuer.",
    body: z.strictObject({
      issuer: visible(500).meta({
        description:
          "The provider's URL with https. A URL with http is allowed only for a provider on the service's own machine.",
        example: "https://login.example.com",
      }),
      clientId: visible(300),
      clientSecret: visible(1_000).optional().meta({
        description:
          "Required for the first provider, and when the issuer or the client id changes. Otherwise, the stored secret stays when this member is missing.",
      }),
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
          "`true`: members and viewers act in the organization only after a sign-in with the provider. Admins can still sign in with their passwords. API keys keep working.",
      }),
      joinRole: Role.exclude(["admin"]).nullable().optional().meta({
        description:
          "People with an address of these domains and without an account become members with this role at their first sign-in. Without it, only members can sign in.",
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
      "Ends the sessions that began with a sign-in at the provider. Accounts stay; a person without a password sets one with a password reset by mail. Changes nothing when the organization has no provider.",
  }),

  /**
   * Starts a sign-in with an identity provider. Sets a cookie that binds the sign-in to the browser, and returns the address at
   * the provider.
   */
  start: operation({
    ...isPublic,
    path: "/api/auth/single-sign-on/start",
    audit: { leftOut: "The person is not known yet. The audit has a line for the end of the sign-in." },
    summary: "Start a sign-in with the organization's identity provider",
    description:
      "Open `url` in the browser that received the cookie of this answer. Send `organization_id`, or the person's address as `email`. A service with open sign-up finds no organization by an address, because any organization could claim the domain of the address.",
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
      "Send the parameters of the URL to which the provider redirected the browser. The session acts only in the provider's organization. A sign-in works once, within ten minutes, in the browser that started it.",
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
