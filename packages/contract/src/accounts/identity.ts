import { z } from "zod";
import { readsOrganization } from "../core/access.ts";
import { id } from "../core/ids.ts";
import { getOperation } from "../core/resource-operations.ts";
import { Role, User } from "./accounts.ts";
import { ApiKey } from "./api-keys.ts";

const named = (prefix: "org" | "prj") => z.strictObject({ id: id(prefix), name: z.string() });

/** Sender of a request: the person, the organization, the person's role in it, and the API key with its project. */
export const Identity = z
  .strictObject({
    user: User.meta({ description: "The signed-in person, or the person who created the key." }),
    organization: named("org"),
    role: Role.meta({
      description: "The person's role in the organization. The person's API keys have the same role.",
    }),
    key: ApiKey.nullable().meta({ description: "The API key of the request; null for a session." }),
    project: named("prj").nullable().meta({
      description: "The one project in which the key works; null for an organization-wide key and for a session.",
    }),
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;

/** The sender of a request. */
export const identity = {
  /** Returns the sender of the request. */
  get: getOperation({
    ...readsOrganization,
    tag: "API keys",
    path: "/v1/identity",
    summary: "Show who sends the request",
    answer: z.strictObject({ identity: Identity }),
  }),
};
