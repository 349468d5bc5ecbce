import { hostname } from "node:os";
import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import { isNamed } from "../look-up.ts";
import { prepareProfiles, type Profile, profileFile, profileName, saveProfile } from "./profile.ts";
import { askSecret, askText, isInteractive } from "../terminal/prompt.ts";
import { counted } from "../terminal/output.ts";
import { isSvcError, Refusal, usage } from "../refusal.ts";
import type { Session } from "./session.ts";

type Account = Answer<Operations["accounts"]["signIn"]>;
type NewKey = { id: string; name: string | null; scope: string; looks_like: string; secret: string };
type Starter = Pick<AnyInvocation, "startSession" | "flags">;

/** Saved profile with its keys, without the secrets. */
type SavedProfile = {
  profile: string;
  file: string;
  url: string;
  organization: string;
  project: { id: string; name: string } | null;
  keys: Omit<NewKey, "secret">[];
};

export const keyName = (): string => `svc CLI on ${hostname()}`.slice(0, 200);

/** Returns the flags of commands that need a signed-in person, because a key is not enough. */
export const personFlags = () => ({
  email: Flags.string({
    description:
      "Your e-mail address. The password comes from a hidden prompt or SVC_PASSWORD, and the code of a second factor from a prompt or SVC_CODE.",
  }),
  organization: Flags.string({
    description: "Id or exact name of your organization. Default: the one that you joined first.",
  }),
});

export const revokeKeysFlag = () =>
  Flags.boolean({
    description:
      "Revoke all your API keys too, in all your organizations. Workers that use such a key cannot send any more.",
  });

export const revokedKeysText = (count: number): string =>
  count === 0 ? "" : ` ${counted(count, "API key")} ${count === 1 ? "is" : "are"} revoked.`;

export async function withSession<T>(
  { startSession }: Starter,
  signIn: (client: Session["client"]) => Promise<Account>,
  work: (session: Session, account: Account) => Promise<T>,
): Promise<T> {
  let cookies: string[] = [];
  const fetchAndCollectCookies: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const set = response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]!);
    if (set.length > 0) cookies = set;
    return response;
  };
  const anonymous = await startSession({ key: "none", newProfile: true, fetch: fetchAndCollectCookies });
  const account = await signIn(anonymous.client);
  const ofSession = (options: object = {}) =>
    startSession({ key: "none", newProfile: true, cookie: cookies.join("; "), ...options });
  const session = await ofSession({ fetch: fetchAndCollectCookies });
  try {
    return await work(session, account);
  } finally {
    // The sign-out uses the latest cookie, because a change of the password replaces the cookie.
    await (await ofSession()).client.accounts.signOut().catch(() => undefined);
  }
}

export async function asPerson<T>(
  invocation: Starter & { flags: { email?: string | undefined; organization?: string | undefined } },
  work: (session: Session, account: Account, password: string) => Promise<T>,
): Promise<T> {
  const { organization } = invocation.flags;
  const email = invocation.flags.email ?? (await askText("Your e-mail address", "--email"));
  const password = await askPassword(1);
  return withSession(
    invocation,
    (client) => signInWithCode(client, { email, password }),
    async (session, account) => {
      if (organization === undefined) return work(session, account, password);
      const { id } = organizationNamed(account, organization);
      return work(session, await session.client.accounts.switchOrganization({ organization_id: id }), password);
    },
  );
}

export async function signInWithCode(client: Session["client"], credential: { email: string; password: string }) {
  try {
    return await client.accounts.signIn(credential);
  } catch (error) {
    if (!isSvcError(error) || error.details["missing"] !== "code") throw error;
    return client.accounts.signIn({ ...credential, ...(await askFactor()) });
  }
}

/** Six digits are a code of an app; any other text is a recovery code. */
async function askFactor(): Promise<{ code: string } | { recovery_code: string }> {
  const typed =
    process.env["SVC_CODE"] ?? (await askText("Code of your authenticator app, or a recovery code", "SVC_CODE"));
  const digits = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(digits) ? { code: digits } : { recovery_code: typed };
}

export function organizationNamed({ organizations }: Account, idOrName: string) {
  const named = organizations.filter((one) => isNamed(one, idOrName));
  if (named.length === 1) return named[0]!;
  const list = organizations.map(({ id, name }) => `${id} "${name}"`).join(", ");
  throw new Refusal("not_found", `Name one of your organizations by its id or its exact name: ${list}.`);
}

export async function saveNewKeys(session: Session, account: Account, flags: AnyInvocation["flags"]) {
  const key = await session.client.keys.create({ name: keyName() });
  return { ...(await saveKeys(session, account.organization.name, key, flags)), user: account.user };
}

/** Also creates and saves a key that sends spans of one project, unless the user is a viewer. */
export async function saveKeys(
  { client, url }: Session,
  organization: string,
  organizationKey: NewKey,
  flags: AnyInvocation["flags"],
): Promise<SavedProfile> {
  const profile = profileName(flags.profile);
  const { projects } = await client.projects.list({ pageSize: 200 });
  const project = projects.find((one) => isNamed(one, flags.project)) ?? projects.at(-1);
  const saved: Profile = { url, apiKey: organizationKey.secret };
  const keys = [organizationKey];
  if (project) {
    saved.project = project.id;
    const { identity } = await client.identity.get();
    if (identity.role !== "viewer") {
      const wanted = { name: keyName(), project_id: project.id, permissions: ["ingest" as const] };
      const ingestKey = await client.keys.create(wanted);
      saved.projectApiKey = ingestKey.secret;
      keys.push(ingestKey);
    }
  }
  await saveProfile(profile, saved);
  return {
    profile,
    file: profileFile(),
    url,
    organization,
    project: project ? { id: project.id, name: project.name } : null,
    keys: keys.map(({ id, name, scope, looks_like }) => ({ id, name, scope, looks_like })),
  };
}

export async function signInAndSaveKeys(
  invocation: Starter,
  signIn: (client: Session["client"]) => Promise<Account>,
): Promise<SavedProfile & { user: { name: string; email: string } }> {
  profileName(invocation.flags.profile);
  await prepareProfiles();
  return withSession(invocation, signIn, (session, account) => saveNewKeys(session, account, invocation.flags));
}

export async function askPassword(
  minCharacters: number,
  { label = "Password", variable = "SVC_PASSWORD" }: { label?: string; variable?: string } = {},
): Promise<string> {
  const fault = (password: string) => {
    if (password === "") return isInteractive() ? "Enter a password." : `There is no password in ${variable}.`;
    return password.length < minCharacters ? `A password has at least ${minCharacters} characters.` : undefined;
  };
  const password = process.env[variable];
  if (!password) {
    if (!isInteractive() && process.stdin.readableEnded)
      throw usage(`Set ${variable} to the password: standard input holds the token.`);
    return askSecret(label, fault);
  }
  const wrong = fault(password);
  if (wrong) throw new Refusal("unusable_password", `${wrong} Change ${variable}.`);
  return password;
}

export async function askNewPassword(): Promise<string> {
  const { LIMITS } = await import("@svc/sdk");
  return askPassword(LIMITS.passwordCharactersMin, { label: "New password", variable: "SVC_NEW_PASSWORD" });
}

export const askToken = (label: string): Promise<string> =>
  askSecret(label, (token) => (/^[\w-]{20,200}$/.test(token) ? undefined : "This is not a token."));

export function savedProfileText({ profile, file, project, keys }: SavedProfile): string {
  const lines = keys.map(
    ({ scope, looks_like }) =>
      `  ${looks_like}  ${scope === "project" ? `project "${project?.name}", to send conversations` : "the whole organization"}`,
  );
  return [`Saved these keys in the profile "${profile}" (${file}):`, ...lines].join("\n");
}
