import { KEY_PERMISSION_NAMES } from "@svc/contract";
import type { FirstStart } from "../base/config/config.ts";
import type { Features } from "./features.ts";
import { auditOperator } from "../operations/audit/open.ts";
import type { Db } from "../stores/relational.ts";
import { newToken } from "../base/secrets/secrets.ts";

/**
 * Creates the admin and the API keys that the `SVC_INIT_…` settings name, when they do not exist. Leaves existing records unchanged. Writes
 * a line in the audit log for each created account and key.
 */
export async function firstStart(
  db: Db,
  { admin, keys: first }: FirstStart,
  { accounts, organizations, projects, keys }: Pick<Features, "accounts" | "organizations" | "projects" | "keys">,
): Promise<void> {
  if (!admin && !first) return;
  let founder: string | undefined;
  if (!(await accounts.store.isClaimed())) {
    const { email, password } = admin ?? { email: "admin@svc.local", password: newToken() };
    founder = (await accounts.signUp({ name: "Admin", email, password }, "Organization")).userId;
  }

  const organization = (await organizations.store.first())!;
  const note = async (made: string | undefined) => {
    if (made === undefined) return;
    const line = { organizationId: organization.id, operation: "operator.firstStart", about: made };
    await (
      await auditOperator(db, line)
    )();
  };
  await note(founder);
  const creator = (await accounts.store.members(organization.id)).find((member) => member.role === "admin");
  if (!creator) return;
  const made = { organizationId: organization.id, userId: creator.user_id };
  for (const [kind, secret] of Object.entries(first ?? {})) {
    if (kind === "organization") {
      await note(await keys.store.ensure({ ...made, projectId: null, name: "First key", secret }));
      continue;
    }
    const { id: projectId } = await projects.store.first(organization.id);
    const limited = KEY_PERMISSION_NAMES.filter((name) => name === kind);
    const name = limited.length === 0 ? "First project key" : `First key to ${kind}`;
    const chosen = limited.length === 0 ? {} : { permissions: limited };
    await note(await keys.store.ensure({ ...made, projectId, name, secret, ...chosen }));
  }
}
