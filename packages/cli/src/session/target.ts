import { profileName, profileNames, readProfile } from "./profile.ts";
import { Refusal, usage } from "../refusal.ts";

const DEFAULT_URL = "http://127.0.0.1:3100";

export const API_KEY = /^svc_sk_[A-Za-z0-9_-]{43}$/;

export type TargetFlags = { url?: string | undefined; profile?: string | undefined; project?: string | undefined };

export type Target = {
  url: string;
  urlFrom: string;
  apiKey?: string | undefined;
  keyFrom: string;
  /** Id of the key's project; set only when `apiKey` is the profile's key for sending spans. */
  keyProject?: string | undefined;
  /** Id or exact name of the project. */
  project?: string | undefined;
  /** Profile of the command when its key is for another address; otherwise undefined. */
  elsewhere?: { profile: string; url: string } | undefined;
};

export type TargetOptions = {
  /** `ingest` prefers the profile's key for sending spans. `none` is for requests without a key. */
  key?: "any" | "ingest" | "none";
  /** Allows a profile that does not exist yet, because the command creates it. */
  newProfile?: boolean;
};

/**
 * Flags take precedence over the environment, and the environment over the profile. Throws for a missing profile, and for a
 * malformed address or key.
 */
export async function resolveTarget(
  flags: TargetFlags,
  { key = "any", newProfile = false }: TargetOptions = {},
): Promise<Target> {
  const { SVC_URL, SVC_API_KEY, SVC_PROJECT } = process.env;
  const name = profileName(flags.profile);
  const explicitUrl = flags.url ?? SVC_URL;
  const isProfileNeeded = !explicitUrl || (!SVC_API_KEY && key !== "none");
  const profile = isProfileNeeded || flags.profile ? await readProfile(name) : undefined;
  const isNamed = flags.profile !== undefined || (isProfileNeeded && !!process.env.SVC_PROFILE);
  if (isNamed && !profile && !newProfile) {
    const names = await profileNames();
    const others = names.length > 0 ? ` There is ${names.map((one) => `"${one}"`).join(", ")}.` : "";
    const login = `svc login --profile ${name} --url …`;
    throw new Refusal("no_profile", `There is no profile "${name}".${others} Create it with \`${login}\`.`);
  }

  const url = parseAddress(explicitUrl || profile?.url || localAddress());
  const urlFrom = flags.url ? "--url" : SVC_URL ? "SVC_URL" : profile ? `profile "${name}"` : localAddressFrom();
  // A saved key is sent only to the address in the same profile.
  const matching = profile && parseAddress(profile.url) === url ? profile : undefined;
  const keyFrom = SVC_API_KEY ? "SVC_API_KEY" : `the profile "${name}"`;
  const project = flags.project ?? (SVC_PROJECT || (SVC_API_KEY ? undefined : matching?.project));
  if (key === "none") return { url, urlFrom, keyFrom, project };

  const ingestKey = key === "ingest" ? matching?.projectApiKey : undefined;
  const apiKey = SVC_API_KEY || (ingestKey ?? matching?.apiKey);
  if (apiKey !== undefined && !API_KEY.test(apiKey)) {
    throw usage(
      `${keyFrom} does not hold an API key. A key is svc_sk_ and 43 characters. Create one with \`svc keys create\`.`,
    );
  }
  const elsewhere = profile && matching === undefined ? { profile: name, url: profile.url } : undefined;
  const keyProject = apiKey !== undefined && apiKey === ingestKey ? matching?.project : undefined;
  return { url, urlFrom, apiKey, keyFrom, keyProject, project, elsewhere };
}

/** Uses the port that `svc serve` would use. */
const localAddress = (): string => (hasPort() ? `http://127.0.0.1:${process.env.PORT}` : DEFAULT_URL);
const localAddressFrom = (): string => (hasPort() ? "PORT" : "default");
const hasPort = (): boolean => /^[1-9]\d{0,4}$/.test(process.env.PORT ?? "");

export const isLocal = (url: string): boolean => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);

function parseAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(
      `An address looks like ${DEFAULT_URL}, without user name, password or query. Check --url, SVC_URL and the profile.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}
