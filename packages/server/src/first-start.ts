import { FIRST_PROJECT } from "./accounts/sign-up.ts";
import type { FirstStart } from "./config.ts";
import type { Features } from "./features.ts";
import { newToken } from "./secrets.ts";

/** Claims the instance from the `SVC_INIT_…` settings, without a person; leaves existing records as they are. */
export async function firstStart(
  settings: FirstStart,
  { accounts, organizations, projects, keys }: Pick<Features, "accounts" | "organizations" | "projects" | "keys">,
): Promise<void> {
  if (Object.values(settings).every((setting) => setting === undefined)) return;
  if (!(await accounts.store.isClaimed())) {
    const person = {
      name: "Admin",
      email: settings.adminEmail ?? "admin@svc.local",
      password: settings.adminPassword ?? newToken(),
    };
    await accounts.signUp(person, { organization: settings.organization ?? "Organization", project: settings.project });
  }

  const organization = (await organizations.store.first())!;
  const admin = (await accounts.store.members(organization.id)).find((member) => member.role === "admin");
  if (!admin) return;
  const creator = { organizationId: organization.id, userId: admin.user_id };
  if (settings.apiKey) {
    await keys.store.ensure({ ...creator, projectId: null, name: "First key", secret: settings.apiKey });
  }
  if (settings.projectApiKey) {
    const project = await projects.store.ensure(organization.id, settings.project ?? FIRST_PROJECT);
    const name = "First project key";
    await keys.store.ensure({ ...creator, projectId: project.id, name, secret: settings.projectApiKey });
  }
}
