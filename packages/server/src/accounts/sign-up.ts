import type { Sessions, SignedIn } from "../access/sessions.ts";
import { AppError } from "../errors.ts";
import type { OrganizationStore } from "../organizations/store.ts";
import type { ProjectStore } from "../projects/store.ts";
import { decideAdmission } from "./rules.ts";
import type { AccountStore } from "./store.ts";

/** Of an organization, the project that it begins with. */
export const FIRST_PROJECT = "Default";

type Person = { name: string; email: string; password: string; invitationToken: string | undefined };
export type SignUp = (
  person: Person,
  names?: { organization?: string | undefined; project?: string | undefined },
) => Promise<SignedIn>;

/** Signs people up one at a time, so that two cannot both be the first. */
export function openSignUp(parts: {
  sessions: Sessions;
  accounts: AccountStore;
  organizations: OrganizationStore;
  projects: ProjectStore;
  openSignUp: boolean;
}): SignUp {
  const { sessions, accounts, organizations, projects } = parts;
  let last: Promise<unknown> = Promise.resolve();
  return (person, names = {}) => {
    const mine = last.then(() => signUp(person, names));
    last = mine.catch(() => undefined);
    return mine;
  };

  async function signUp(person: Person, names: { organization?: string | undefined; project?: string | undefined }) {
    const { invitationToken } = person;
    const admission = decideAdmission({
      claimed: await accounts.isClaimed(),
      openSignUp: parts.openSignUp,
      email: person.email,
      sentToken: invitationToken !== undefined,
      invitation: invitationToken === undefined ? undefined : await accounts.invitationOf(invitationToken),
      now: new Date(),
    });
    const stranded = await accounts.strandedUser(person.email);
    if (stranded) await sessions.removeUser(stranded);
    const signedIn = await sessions.signUp({ name: person.name, email: person.email, password: person.password });
    if (!signedIn) throw new AppError("conflict", "This address has an account; sign in instead.");
    if (admission.kind === "invited") {
      await accounts.admitInvited(signedIn.userId, admission.invitation);
    } else {
      const organization = await organizations.create(names.organization ?? `${person.name}'s organization`);
      await projects.create(organization.id, names.project ?? FIRST_PROJECT);
      await accounts.admit(signedIn.userId, organization.id, "admin");
    }
    return signedIn;
  }
}
