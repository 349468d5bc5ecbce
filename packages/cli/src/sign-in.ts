import { hostname } from "node:os";
import type { Answer, Operations } from "@svc/contract";
import type { AnyInvocation } from "./command.ts";
import { isNamed } from "./look-up.ts";
import { prepareProfiles, type Profile, profileFile, profileName, saveProfile } from "./profile.ts";
import { askSecret } from "./prompt.ts";
import { usage } from "./refusal.ts";
import type { Session } from "./session.ts";

type Account = Answer<Operations["accounts"]["signIn"]>;

/** A saved profile and its keys, without the secrets. */
type SavedProfile = {
  profile: string;
  file: string;
  url: string;
  user: { name: string; email: string };
  organization: string;
  project: { id: string; name: string } | null;
  keys: { id: string; name: string | null; scope: string; looks_like: string }[];
};

/**
 * Signs a person in or up, creates a key of the organization and a key of one project, which trace ingest needs, and saves
 * both in the profile.
 */
export async function signInAndSaveKeys(
  { startSession, flags }: Pick<AnyInvocation, "startSession" | "flags">,
  signIn: (client: Session["client"]) => Promise<Account>,
): Promise<SavedProfile> {
  const profile = profileName(flags.profile);
  await prepareProfiles();
  const cookies: string[] = [];
  const fetchAndCollectCookies: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]!));
    return response;
  };
  const anonymous = await startSession({ key: "none", newProfile: true, fetch: fetchAndCollectCookies });
  const { user, organization } = await signIn(anonymous.client);

  const { client, url } = await startSession({ key: "none", newProfile: true, cookie: cookies.join("; ") });
  try {
    const { projects } = await client.projects.list({ pageSize: 200 });
    const project = projects.find((one) => isNamed(one, flags.project)) ?? projects.at(-1);
    const name = `svc CLI on ${hostname()}`.slice(0, 200);
    const organizationKey = await client.keys.create({ name });
    const saved: Profile = { url, apiKey: organizationKey.secret };
    const keys = [organizationKey];
    if (project) {
      const projectKey = await client.keys.create({ name, project_id: project.id });
      Object.assign(saved, { projectApiKey: projectKey.secret, project: project.id });
      keys.push(projectKey);
    }
    await saveProfile(profile, saved);
    return {
      profile,
      file: profileFile(),
      url,
      user: { name: user.name, email: user.email },
      organization: organization.name,
      project: project ? { id: project.id, name: project.name } : null,
      keys: keys.map(({ id, name, scope, looks_like }) => ({ id, name, scope, looks_like })),
    };
  } finally {
    await client.accounts.signOut().catch(() => undefined);
  }
}

/** Returns the password from SVC_PASSWORD, a hidden prompt or standard input; refuses one that is too short. */
export async function askPassword(minCharacters: number): Promise<string> {
  const fault = (password: string) =>
    password.length < minCharacters ? `A password has at least ${minCharacters} characters.` : undefined;
  const password = process.env.SVC_PASSWORD;
  if (!password) return askSecret("Password", fault);
  const wrong = fault(password);
  if (wrong) throw usage(`${wrong} Change SVC_PASSWORD.`);
  return password;
}

export function savedProfileText({ profile, file, project, keys }: SavedProfile): string {
  const lines = keys.map(
    ({ scope, looks_like }) =>
      `  ${looks_like}  ${scope === "project" ? `project "${project?.name}"` : "the whole organization"}`,
  );
  return [`Saved these keys in the profile "${profile}" (${file}):`, ...lines].join("\n");
}
