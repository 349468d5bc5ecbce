import { LIMITS } from "@svc/sdk";
import { clientOf } from "../client.ts";
import type { Session } from "../session.ts";

/** The form of a person who creates an account and an organization. */
type Founder = { name: string; email: string; password: string; organization: string };

export const ORGANIZATION_CHARACTERS = LIMITS.nameCharacters;

/** Creates the account and its organization, and names the organization when the person chose a name. */
export async function found({ organization, ...person }: Founder): Promise<Session> {
  const session = await clientOf().accounts.signUp(person);
  if (organization.trim() === "") return session;
  try {
    await clientOf(session.organization.id).organization.edit({ name: organization });
    return await clientOf().accounts.session();
  } catch {
    // The account exists, and a second sign-up would fail. The settings of the organization change its name.
    return session;
  }
}
