import { z } from "zod";
import { managesOrganization, readsOrganization } from "../core/access.ts";
import { id, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { editOperation, getOperation } from "../core/resource-operations.ts";
import { nameText } from "../core/texts.ts";

/** Organization: the owner of projects, members and API keys. */
export const Organization = z
  .strictObject({ id: id("org"), name: z.string(), createdAt: timestamp(), updatedAt: timestamp() })
  .meta({ id: "Organization" });

const one = {
  tag: "Organizations and projects",
  path: "/v1/organization",
  answer: z.strictObject({ organization: Organization }),
} as const;

/** The caller's organization. */
export const organization = {
  /** Returns the caller's organization. */
  get: getOperation({ ...one, ...readsOrganization, summary: "Show the organization" }),

  /** Renames the organization. Requires the role admin. */
  edit: editOperation({
    ...one,
    ...managesOrganization,
    summary: "Rename the organization",
    body: z.strictObject({ name: nameText() }),
  }),

  /**
   * Encrypts the organization's stored credentials again with the newest encryption key. Afterwards you can remove older keys from the
   * configuration. A second call changes nothing.
   *
   * `resealed` counts the credentials that this call changed. `current` counts the credentials that the newest key already encrypted.
   * `unreadable` counts the credentials whose encryption key is not configured.
   */
  reseal: operation({
    ...managesOrganization,
    method: "POST",
    path: "/v1/organization/reseal",
    summary: "Seal stored credentials with the newest encryption key",
    description:
      "Encrypts the organization's stored credentials again with the newest encryption key. Afterwards you can remove older encryption keys from the configuration. `resealed` counts the credentials that this call changed, `current` counts the credentials that the newest key already encrypted, and `unreadable` counts the credentials whose encryption key is not configured.",
    tag: "Organizations and projects",
    status: 200,
    answer: z.strictObject({ resealed: count(), current: count(), unreadable: count() }),
  }),
};
