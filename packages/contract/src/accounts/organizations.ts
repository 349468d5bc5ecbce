import { z } from "zod";
import { managesOrganization, readsOrganization } from "../core/access.ts";
import { id, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { textUpTo } from "../core/texts.ts";

/** Whom projects, people and keys belong to. */
export const Organization = z
  .strictObject({ id: id("org"), name: z.string(), createdAt: timestamp(), updatedAt: timestamp() })
  .meta({ id: "Organization" });

const answer = z.strictObject({ organization: Organization });

/** The caller's organization. */
export const organization = {
  /** The caller's organization. */
  get: operation({
    method: "GET",
    path: "/v1/organization",
    summary: "Show the organization",
    tag: "Organizations and projects",
    ...readsOrganization,
    status: 200,
    answer,
  }),

  /** Renames the organization; admins only. */
  edit: operation({
    method: "PATCH",
    path: "/v1/organization",
    summary: "Rename the organization",
    tag: "Organizations and projects",
    ...managesOrganization,
    body: z.strictObject({ name: textUpTo(LIMITS.nameCharacters) }),
    status: 200,
    answer,
  }),

  /**
   * Seals again, with the newest encryption key, what an older key sealed; after that the older key can be taken out of
   * the settings. Calling it again changes nothing. `unreadable` counts credentials whose key the service does not hold.
   */
  reseal: operation({
    method: "POST",
    path: "/v1/organization/reseal",
    summary: "Seal stored credentials with the newest encryption key",
    tag: "Organizations and projects",
    ...managesOrganization,
    status: 200,
    answer: z.strictObject({ resealed: count(), current: count(), unreadable: count() }),
  }),
};
