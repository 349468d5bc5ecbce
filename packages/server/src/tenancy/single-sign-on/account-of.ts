import type { Sessions } from "../../access/sessions.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { accountsAt, insertMember, membersOf, PEOPLE } from "../accounts/store/people.ts";
import { decideAccount, type Identity, requireAddress } from "./rules.ts";
import { accountOfIdentity, linkedAccounts, linkIdentity, type ProviderRow } from "./store.ts";

/**
 * Returns the account to which an identity signs in, in the provider's organization. At the first sign-in, links the account of a
 * member to the identity, or creates an account. Throws when the identity may not sign in. All reads and writes are in one
 * transaction.
 */
export const accountOf = (
  db: Db,
  sessions: Pick<Sessions, "addUser">,
  provider: ProviderRow,
  identity: Identity,
): Promise<string> => {
  const { organization_id: organizationId, issuer, domains, join_role: joinRole } = provider;
  const address = requireAddress(identity, domains);
  const link = { organizationId, issuer, subject: identity.subject };
  return transaction(db, PEOPLE, async (tx) => {
    const linked = await linkedAccounts(tx, organizationId);
    const members = await membersOf(tx, organizationId).execute();
    const decision = decideAccount({
      linkedTo: await accountOfIdentity(tx, link),
      members: members
        .filter(({ email }) => email === address)
        .map(({ user_id }) => ({ userId: user_id, isLinked: linked.has(user_id) })),
      isAddressTaken: (await accountsAt(tx, address)).length > 0,
      joinRole,
    });
    if (decision.kind === "linked") return decision.userId;
    if (decision.kind === "link") {
      await linkIdentity(tx, decision.userId, link);
      return decision.userId;
    }
    const userId = await sessions.addUser(tx, { name: nameOf(identity, address), address });
    await insertMember(tx, userId, organizationId, decision.role);
    await linkIdentity(tx, userId, link);
    return userId;
  });
};

const NAME_CHARACTERS = 200;

const nameOf = ({ name }: Identity, address: string): string =>
  name?.trim().slice(0, NAME_CHARACTERS) || address.split("@")[0]!;
