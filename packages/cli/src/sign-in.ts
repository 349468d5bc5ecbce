import { hostname } from "node:os";
import type { Answer, Operations } from "@svc/contract";
import type { AnyCall } from "./command.ts";
import type { Connection } from "./connection.ts";
import { prepareProfiles, type Profile, profileFile, profileName, saveProfile } from "./profile.ts";
import { askSecret } from "./prompt.ts";
import { Refusal } from "./refusal.ts";

type Session = Answer<Operations["accounts"]["signIn"]>;

/** What was saved where, without the secrets. */
type SavedKeys = {
  profile: string;
  file: string;
  url: string;
  user: { name: string; email: string };
  organization: string;
  project: { id: string; name: string } | null;
  keys: { id: string; name: string | null; scope: string; looks_like: string }[];
};

/**
 * Signs a person in or up, and with that session makes the keys that the profile keeps: one for the organization, and one
 * for a project, which trace ingest needs.
 */
export async function signInAndKeepKeys(
  call: Pick<AnyCall, "connect" | "flags">,
  enter: (client: Connection["client"]) => Promise<Session>,
): Promise<SavedKeys> {
  const profile = profileName(call.flags.profile);
  await prepareProfiles();
  const cookies: string[] = [];
  const noting: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    cookies.push(...response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]!));
    return response;
  };
  const { client: stranger } = await call.connect({ key: "none", newProfile: true, fetch: noting });
  const { user, organization } = await enter(stranger);

  const { client, url } = await call.connect({ key: "none", newProfile: true, cookie: cookies.join("; ") });
  try {
    const { projects } = await client.projects.list({ pageSize: 200 });
    const project =
      projects.find(({ id, name }) => id === call.flags.project || name === call.flags.project) ?? projects.at(-1);
    const name = `svc CLI on ${hostname()}`.slice(0, 200);
    const wide = await client.keys.create({ name });
    const saved: Profile = { url, apiKey: wide.secret };
    const keys = [wide];
    if (project) {
      const narrow = await client.keys.create({ name, project_id: project.id });
      Object.assign(saved, { projectApiKey: narrow.secret, project: project.id });
      keys.push(narrow);
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

/** The password: SVC_PASSWORD, a hidden prompt, or standard input. */
export async function askPassword(fewest: number): Promise<string> {
  const fault = (password: string) =>
    password.length < fewest ? `A password has at least ${fewest} characters.` : undefined;
  const given = process.env.SVC_PASSWORD;
  if (!given) return askSecret("Password", fault);
  const wrong = fault(given);
  if (wrong) throw new Refusal("usage", `${wrong} Change SVC_PASSWORD.`, 2);
  return given;
}

export function savedText({ profile, file, project, keys }: SavedKeys): string {
  const lines = keys.map(
    ({ scope, looks_like }) =>
      `  ${looks_like}  ${scope === "project" ? `project "${project?.name}"` : "the whole organization"}`,
  );
  return [`Saved in the profile "${profile}" (${file}):`, ...lines].join("\n");
}
