import type { Role } from "@svc/contract";
import { AppError } from "../../base/errors.ts";

/** What an identity provider proved about a person. */
export type Identity = { subject: string; email: string | undefined; emailVerified: boolean; name: string | undefined };

/** A member of the organization whose account has the identity's address; `isLinked` says that another identity opens it. */
export type MemberAtAddress = { userId: string; isLinked: boolean };

/** The account that an identity opens: `linked` opened it before, `link` is a member's account, and `join` is a new one. */
type Decision = { kind: "linked"; userId: string } | { kind: "link"; userId: string } | { kind: "join"; role: Role };

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns the address of an endpoint of a provider; undefined for one that could be read on the way, and for other schemes. */
export function endpointOf(address: string): URL | undefined {
  const url = URL.parse(address);
  if (!url || url.username !== "" || url.password !== "" || url.hash !== "") return undefined;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && LOCAL_HOSTS.has(url.hostname) ? url : undefined;
}

/** Returns the address at which a provider describes itself; undefined for an issuer that may not be used. */
export function descriptionOf(issuer: string): URL | undefined {
  const url = endpointOf(issuer);
  return url?.search === "" ? endpointOf(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`) : undefined;
}

/** Returns the address of an identity; refuses one that the provider did not verify, or of another domain. */
export function requireAddress({ email, emailVerified }: Identity, domains: readonly string[]): string {
  // Some letters that look like a Latin one become it in lower case, so that only ASCII is compared.
  const address = /^[!-?A-~]+@[!-?A-~]+$/.test(email?.trim() ?? "") ? email!.trim().toLowerCase() : undefined;
  if (address === undefined)
    throw refused("The identity provider gives no e-mail address. Ask an admin to let it send the claim `email`.");
  if (!emailVerified)
    throw refused(
      `The identity provider does not say that ${address} is verified. Verify the address there, or ask an admin to let it send the claim \`email_verified\`.`,
    );
  const [, domain = ""] = address.split("@");
  if (!domains.includes(domain))
    throw refused(
      `This organization admits no address of ${domain}. Sign in at the identity provider with another account, or ask an admin to add the domain.`,
    );
  return address;
}

/**
 * Decides which account an identity opens. The provider of one organization never opens the account of a person who is no member of
 * it: an address alone proves nothing about other organizations.
 */
export function decideAccount({
  linkedTo,
  members,
  isAddressTaken,
  joinRole,
}: {
  /** The account that the identity opened before. */
  linkedTo: string | undefined;
  members: readonly MemberAtAddress[];
  /** Whether an account of this service has the address, in any organization. */
  isAddressTaken: boolean;
  joinRole: Role | null;
}): Decision {
  if (linkedTo !== undefined) return { kind: "linked", userId: linkedTo };
  const [member, ...others] = members;
  if (member !== undefined) {
    if (others.length > 0)
      throw refused("Several accounts of this organization have this address. Ask an admin to remove all but one.");
    if (member.isLinked)
      throw refused(
        "Another identity of the provider opens the account with this address already. Ask an admin to remove that member and to invite you again.",
      );
    return { kind: "link", userId: member.userId };
  }
  if (isAddressTaken)
    throw refused(
      "This address has an account that does not belong to this organization. Ask an admin for an invitation, and accept it while you are signed in with your password.",
    );
  if (joinRole === null)
    throw refused("Nobody with this address is a member of this organization. Ask an admin for an invitation.");
  return { kind: "join", role: joinRole };
}

const refused = (message: string) => new AppError("not_permitted", message);

export const secretMissing = () => {
  const message = "Enter the client secret: there is none yet, or it belongs to another issuer or client.";
  return new AppError("unprocessable", message, { issues: [{ path: "clientSecret", message }] });
};

export const signInOver = () =>
  new AppError(
    "not_authenticated",
    "This sign-in was used already, has expired, or was started in another browser. Start it again.",
  );

/** Returns the refusal of a proof that the provider gave; `why` completes "because …". */
export const proofRefused = (why: string) =>
  new AppError(
    "not_authenticated",
    `The service does not trust the answer of the identity provider, because ${why}. Start the sign-in again, and tell an admin if it stays so.`,
  );

/** The code of an error that the provider sent, when it is a plain word; other texts are not shown. */
export const shownErrorCode = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,60}$/.test(code) ? `\`${code}\`` : "an error";
