import type { Role } from "@svc/contract";
import { AppError } from "../../base/errors.ts";

/** Facts that an identity provider proved about a person. */
export type Identity = { subject: string; email: string | undefined; emailVerified: boolean; name: string | undefined };

/** `isLinked` is true when another identity is linked to the account. */
export type MemberAtAddress = { userId: string; isLinked: boolean };

/**
 * The account of an identity. `linked`: an account that is already linked to the identity. `link`: the account of a member. `join`: a new
 * account.
 */
type Decision = { kind: "linked"; userId: string } | { kind: "link"; userId: string } | { kind: "join"; role: Role };

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns the URL of an endpoint; undefined unless it is https, or http on this machine. */
export function endpointOf(address: string): URL | undefined {
  const url = URL.parse(address);
  if (!url || url.username !== "" || url.password !== "" || url.hash !== "") return undefined;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && LOCAL_HOSTS.has(url.hostname) ? url : undefined;
}

/** Returns the URL of the provider's metadata; undefined when the issuer may not be used. */
export function descriptionOf(issuer: string): URL | undefined {
  const url = endpointOf(issuer);
  return url?.search === "" ? endpointOf(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`) : undefined;
}

export function requireAddress({ email, emailVerified }: Identity, domains: readonly string[]): string {
  // `toLowerCase` turns some letters of other alphabets into Latin letters, so only ASCII addresses are accepted.
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
 * Decides to which account an identity signs in. This is never the account of a person outside the provider's organization, because
 * a provider's statement about an address proves nothing to other organizations.
 */
export function decideAccount({
  linkedTo,
  members,
  isAddressTaken,
  joinRole,
}: {
  /** Undefined at the first sign-in of the identity. */
  linkedTo: string | undefined;
  members: readonly MemberAtAddress[];
  /** Whether any account of this service has the address, in any organization. */
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

/** Returns the error for a rejected sign-in. `why` completes "because …". */
export const proofRefused = (why: string) =>
  new AppError(
    "not_authenticated",
    `The service does not trust the answer of the identity provider, because ${why}. Start the sign-in again, and tell an admin if it stays so.`,
  );

/** Returns the provider's error code in backticks when it is a plain word, else "an error". Other texts are not shown. */
export const shownErrorCode = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,60}$/.test(code) ? `\`${code}\`` : "an error";
