import { existsSync } from "node:fs";
import { tokenPage } from "@svc/contract";
import { createConditions } from "../base/conditions.ts";
import { readConfig } from "../base/config/config.ts";
import { createLog } from "../base/log/log.ts";
import { openContext, type ServiceContext } from "../context.ts";
import { auditOperator } from "../operations/audit/open.ts";
import { FolderRefusal } from "../operations/data-folder/refusal.ts";
import { tryLock } from "../stores/folder/data-dir-lock.ts";
import { relationalPaths } from "../stores/sqlite/store-damage.ts";
import { createResetStore } from "../tenancy/accounts/store/password-resets.ts";
import { createPeopleStore } from "../tenancy/accounts/store/people.ts";
import { createOrganizationStore } from "../tenancy/organizations/store.ts";
import { createSecondFactorStore } from "../tenancy/second-factor/store/factors.ts";
import { stopRequiring } from "../tenancy/single-sign-on/store.ts";

export type OwnerReset = {
  name: string;
  email: string;
  organization: string;
  /** Page of the service for the new password. Whoever opens it can take over the account. */
  address: string;
  token: string;
  expiresAt: string;
};

/**
 * Creates a one-time address at which an admin sets a new password: the admin with `email`, or without `email` the first admin of the
 * service. Removes the admin's second factor. Ends the requirement of single sign-on in the admin's organization. Works on the data folder
 * of the settings while no service runs on it, or on the databases of the settings. Throws when the folder is in use, when there is no
 * service, and when `email` belongs to no admin.
 */
export async function resetOwner(
  settings: Record<string, string | undefined>,
  { email }: { email?: string | undefined },
): Promise<OwnerReset> {
  const config = readConfig(settings);
  const unlock = config.databases === undefined ? lockUnused(config.dataDir) : undefined;
  try {
    const log = createLog("silent");
    const context = await openContext(config, log, createConditions(log));
    try {
      return await createReset(context, email);
    } finally {
      await context.close();
    }
  } finally {
    unlock?.();
  }
}

function lockUnused(dataDir: string): () => void {
  if (!existsSync(relationalPaths(dataDir).database))
    throw new FolderRefusal(
      "no_data_folder",
      `${dataDir} is not a data folder. Name it with --data-dir or SVC_DATA_DIR.`,
    );
  const unlock = tryLock(dataDir);
  if (unlock !== undefined) return unlock;
  throw new FolderRefusal(
    "folder_in_use",
    `A service runs on ${dataDir}. Stop it, run this command, then start it again. With an admin's key, \`svc members reset-password\` works while it runs.`,
  );
}

async function createReset(context: ServiceContext, email: string | undefined): Promise<OwnerReset> {
  const { db, credentials, sealed, sessions, serviceUrl } = context;
  const organizations = createOrganizationStore(db);
  const people = createPeopleStore(db, { credentials, sessions, organizations, sealed });
  const address = email?.trim().toLowerCase();
  const owner = (await people.admins()).find((admin) => address === undefined || admin.email === address);
  if (!owner)
    throw new FolderRefusal(
      "not_found",
      email === undefined
        ? "Nobody has claimed this service yet. Start it and run `svc claim`."
        : `No admin of this service has the address ${email}. Leave out --email for the first admin.`,
    );
  const { userId, organizationId, ...shown } = owner;
  const done = await auditOperator(db, { organizationId, operation: "operator.resetOwner", about: userId });
  const { token, expiresAt } = await createResetStore(db, sessions).createForOperator(userId, organizationId);
  await createSecondFactorStore(db, sealed).removeAll(userId);
  await stopRequiring(db, organizationId);
  await done();
  const { name: organization } = await organizations.get(organizationId);
  return { ...shown, organization, address: tokenPage(serviceUrl, "reset", token), token, expiresAt };
}
