import type { FirstStart } from "../base/config/config.ts";
import type { Features } from "./features.ts";
import { newToken } from "../base/secrets/secrets.ts";

/** Claims the instance from the `SVC_INIT_…` settings, without a person; leaves existing records as they are. */
export async function firstStart(
  { admin, keys: first }: FirstStart,
  { accounts, organizations, projects, keys }: Pick<Features, "accounts" | "organizations" | "projects" | "keys">,
): Promise<void> {
  if (!admin && !first) return;
  if (!(await accounts.store.isClaimed())) {
    const { email, password } = admin ?? { email: "admin@svc.local", password: newToken() };
    await accounts.signUp({ name: "Admin", email, password }, "Organization");
  }

  const organization = (await organizations.store.first())!;
  const creator = (await accounts.store.members(organization.id)).find((member) => member.role === "admin");
  if (!creator) return;
  const made = { organizationId: organization.id, userId: creator.user_id };
  if (first?.organization) {
    await keys.store.ensure({ ...made, projectId: null, name: "First key", secret: first.organization });
  }
  if (first?.project) {
    const project = await projects.store.first(organization.id);
    await keys.store.ensure({ ...made, projectId: project.id, name: "First project key", secret: first.project });
  }
}
