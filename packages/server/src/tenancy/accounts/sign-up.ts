import type { Sessions, SignedIn } from "../../access/sessions.ts";
import { AppError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { refuseWeakPassword } from "./weak-passwords.ts";
import { alreadyMember, decideAdmission, decideSignInName, invitationNeeded, invitationOver } from "./rules.ts";
import type { InvitationStore } from "./store/invitations.ts";
import type { PeopleStore } from "./store/people.ts";

const FIRST_PROJECT = "Default";

type NewPerson = {
  name: string;
  email: string;
  password: string;
  invitationToken?: string | undefined;
  /** Whether to create a second account beside an account whose address nobody proved. Default: false. */
  separateAccount?: boolean | undefined;
  userAgent?: string | undefined;
};

/**
 * Creates an account. The person joins the organization of the invitation, or founds a new one. Throws `conflict` when the address is
 * taken.
 */
export type SignUp = (person: NewPerson, newOrganization?: string) => Promise<SignedIn>;

/**
 * Returns a sign-up that handles one person at a time in this process. Of several processes that share the databases, only one can
 * found the first organization.
 */
export function createSignUp(
  sessions: Sessions,
  people: PeopleStore,
  invitations: InvitationStore,
  { openSignUp }: { openSignUp: boolean },
): SignUp {
  let last: Promise<unknown> = Promise.resolve();
  return (person, newOrganization = `${person.name}'s organization`) => {
    const current = last.then(() => signUp(person, newOrganization));
    last = current.catch(() => undefined);
    return current;
  };

  async function signUp(person: NewPerson, newOrganization: string): Promise<SignedIn> {
    const { name, email, password, invitationToken, separateAccount = false, userAgent } = person;
    refuseWeakPassword({ member: "password", password }, person);
    const admission = decideAdmission({
      claimed: await people.isClaimed(),
      openSignUp,
      email,
      sentToken: invitationToken !== undefined,
      invitation: invitationToken === undefined ? undefined : await invitations.find(invitationToken),
      now: new Date(),
    });
    for (const userId of await people.findStranded(email)) await sessions.removeUser(userId);
    const signInName = decideSignInName(email, await people.accountsAt(email), {
      invited: admission.kind === "invited",
      separate: separateAccount,
      fresh: newId("usr"),
    });
    const signedIn = await sessions.signUp({ name, signInName, address: email, password }, userAgent);
    if (!signedIn) throw new AppError("conflict", "This address already has an account. Sign in instead.");
    await sessions.enter(signedIn.sessionId, await join(signedIn.userId));
    return signedIn;

    async function join(userId: string): Promise<string> {
      if (admission.kind === "founder") {
        const names = { organization: newOrganization, project: FIRST_PROJECT };
        const founded = await people.createOrganization(userId, names, { isFirst: !openSignUp });
        if (founded !== undefined) return founded;
        await sessions.removeUser(userId);
        throw invitationNeeded();
      }
      const outcome = await invitations.accept(userId, admission.invitation);
      if (outcome === "accepted") return admission.invitation.organization_id;
      await sessions.removeUser(userId);
      throw outcome === "over" ? invitationOver() : alreadyMember();
    }
  }
}
