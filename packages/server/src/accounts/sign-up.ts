import type { Sessions, SignedIn } from "../access/sessions.ts";
import { AppError } from "../errors.ts";
import { decideAdmission, invitationOver } from "./rules.ts";
import type { AccountStore } from "./store.ts";

/** Name of the first project of a new organization. */
export const FIRST_PROJECT = "Default";

type Person = { name: string; email: string; password: string; invitationToken: string | undefined };
type Names = { organization?: string | undefined; project?: string | undefined };

/** Signs a person up, creates or joins their organization, and returns the session. Refuses taken addresses. */
export type SignUp = (person: Person, names?: Names) => Promise<SignedIn>;

/** Returns a sign-up that handles one person at a time, so that only one person can claim an unclaimed service. */
export function createSignUp(
  sessions: Sessions,
  accounts: AccountStore,
  { openSignUp }: { openSignUp: boolean },
): SignUp {
  let last: Promise<unknown> = Promise.resolve();
  return (person, names = {}) => {
    const current = last.then(() => signUp(person, names));
    last = current.catch(() => undefined);
    return current;
  };

  async function signUp({ invitationToken, ...person }: Person, names: Names): Promise<SignedIn> {
    const admission = decideAdmission({
      claimed: await accounts.isClaimed(),
      openSignUp,
      email: person.email,
      sentToken: invitationToken !== undefined,
      invitation: invitationToken === undefined ? undefined : await accounts.findInvitation(invitationToken),
      now: new Date(),
    });
    const stranded = await accounts.findStrandedUser(person.email);
    if (stranded) await sessions.removeUser(stranded);
    const signedIn = await sessions.signUp(person);
    if (!signedIn) throw new AppError("conflict", "This address already has an account. Sign in instead.");
    if (admission.kind === "invited") {
      if (await accounts.acceptInvitation(signedIn.userId, admission.invitation)) return signedIn;
      await sessions.removeUser(signedIn.userId);
      throw invitationOver();
    }
    const { organization = `${person.name}'s organization`, project = FIRST_PROJECT } = names;
    await accounts.createOrganization(signedIn.userId, { organization, project });
    return signedIn;
  }
}
