import type { Client, pages, tokenPages } from "@svc/sdk";
import { profileName, readProfile } from "./profile.ts";
import { Refusal, usage } from "./refusal.ts";

const DEFAULT_URL = "http://127.0.0.1:3100";

export const SECRET = /^svc_sk_[A-Za-z0-9_-]{43}$/;

export type Selection = { url?: string | undefined; profile?: string | undefined; project?: string | undefined };

/** Where requests go and as whom, with where each part comes from. */
export type Target = {
  url: string;
  urlFrom: string;
  apiKey?: string | undefined;
  keyFrom: string;
  project?: string | undefined;
};

type TargetOptions = {
  /** `project` prefers a key of one project, `none` is for requests without one. */
  key?: "any" | "project" | "none";
  /** The profile is about to be made, and need not be there. */
  newProfile?: boolean;
};

export type ConnectOptions = TargetOptions & {
  /** Instead of what the flags, the environment and the profile say. */
  target?: Target;
  /** A session cookie, instead of a key. */
  cookie?: string;
  fetch?: typeof globalThis.fetch;
  retries?: number;
};

export type Connection = Target & { client: Client; pages: typeof pages; tokenPages: typeof tokenPages };

/** Decides address, key and project from the flags, the environment and the profile, in this order. */
export async function targetOf(
  flags: Selection,
  { key = "any", newProfile = false }: TargetOptions = {},
): Promise<Target> {
  const { SVC_URL, SVC_API_KEY, SVC_PROJECT } = process.env;
  const name = profileName(flags.profile);
  const named = flags.url ?? SVC_URL;
  const profile = named && (SVC_API_KEY || key === "none") ? undefined : await readProfile(name);
  if (flags.profile && !named && !profile && !newProfile) {
    throw new Refusal(
      "no_profile",
      `There is no profile "${name}": make it with \`svc login --profile ${name} --url …\`.`,
    );
  }

  const url = addressOf(named || profile?.url || DEFAULT_URL);
  const urlFrom = flags.url ? "--url" : SVC_URL ? "SVC_URL" : profile ? `profile "${name}"` : "default";
  // A key goes to no other address than the one that it was saved for.
  const own = profile && addressOf(profile.url) === url ? profile : undefined;
  const keyFrom = SVC_API_KEY ? "SVC_API_KEY" : `the profile "${name}"`;
  const project = flags.project ?? (SVC_PROJECT || (SVC_API_KEY ? undefined : own?.project));
  if (key === "none") return { url, urlFrom, keyFrom, project };

  const apiKey = SVC_API_KEY || (key === "project" ? (own?.projectApiKey ?? own?.apiKey) : own?.apiKey);
  if (apiKey !== undefined && !SECRET.test(apiKey)) {
    throw usage(
      `What ${keyFrom} holds is no API key: one is svc_sk_ and 43 characters; make one with \`svc keys create\`.`,
    );
  }
  return { url, urlFrom, apiKey, keyFrom, project };
}

/** A client for the target; loads the SDK. */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Connection> {
  if (options.key !== "none" && target.apiKey === undefined) {
    throw new Refusal("not_authenticated", `No API key for ${target.url}: run \`svc login\`, or set SVC_API_KEY.`);
  }
  const { createClient, pages, tokenPages } = await import("@svc/sdk");
  const { cookie, fetch, retries } = options;
  const client = createClient({
    baseUrl: target.url,
    ...(target.apiKey !== undefined && { apiKey: target.apiKey }),
    ...(cookie !== undefined && { cookie }),
    ...(fetch && { fetch }),
    ...(retries !== undefined && { retries }),
  });
  return { ...target, client, pages, tokenPages };
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(
      `An address is like ${DEFAULT_URL}, without a name, a password or a query: check --url, SVC_URL and the profile.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}
