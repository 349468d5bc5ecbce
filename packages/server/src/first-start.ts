import { FIRST_PROJECT, type SignUp } from "./accounts/sign-up.ts";
import type { AccountStore } from "./accounts/store.ts";
import type { KeyStore } from "./api-keys/store.ts";
import type { FirstStart } from "./config.ts";
import type { OrganizationStore } from "./organizations/store.ts";
import type { ProjectStore } from "./projects/store.ts";
import { newToken } from "./secrets.ts";

type Parts = {
  accounts: AccountStore;
  organizations: OrganizationStore;
  projects: ProjectStore;
  keys: KeyStore;
  signUp: SignUp;
};

/** Claims the instance from the settings, without a person; what is there already stays as it is. */
export async function firstStart(
  wanted: FirstStart,
  { accounts, organizations, projects, keys, signUp }: Parts,
): Promise<void> {
  if (Object.values(wanted).every((setting) => setting === undefined)) return;
  if (!(await accounts.isClaimed())) {
    const person = {
      name: "Admin",
      email: wanted.adminEmail ?? "admin@svc.local",
      password: wanted.adminPassword ?? newToken(),
      invitationToken: undefined,
    };
    await signUp(person, { organization: wanted.organization ?? "Organization", project: wanted.project });
  }

  const organization = (await organizations.first())!;
  const admin = (await accounts.members(organization.id)).find((member) => member.role === "admin");
  if (!admin) return;
  const creator = { organizationId: organization.id, userId: admin.user_id };
  if (wanted.apiKey) {
    await keys.ensure({ ...creator, projectId: null, name: "First key", secret: wanted.apiKey });
  }
  if (wanted.projectApiKey) {
    const project = await projects.ensure(organization.id, wanted.project ?? FIRST_PROJECT);
    await keys.ensure({ ...creator, projectId: project.id, name: "First project key", secret: wanted.projectApiKey });
  }
}
