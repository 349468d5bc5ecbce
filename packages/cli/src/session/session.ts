import type { Client, pages } from "@svc/sdk";
import { EXIT, Refusal } from "../refusal.ts";
import { noAnswerText } from "./no-answer.ts";
import type { Target, TargetOptions } from "./target.ts";

export type Session = Omit<Target, "project"> & {
  /** Id or exact name of the project that the command uses; undefined for the only project of the key. */
  projectId: string | undefined;
  client: Client;
  pages: typeof pages;
};

export type SessionOptions = TargetOptions & {
  /** Target that replaces the one from the flags, the environment and the profile. */
  target?: Target;
  /** Session cookie, in place of a key. */
  cookie?: string;
  fetch?: typeof globalThis.fetch;
  retries?: number;
};

/** Throws for a target without a key, unless `key` is `none`. */
export async function createSession(target: Target, options: SessionOptions = {}): Promise<Session> {
  if (options.key !== "none" && target.apiKey === undefined) {
    await requireAnswer(target);
    throw new Refusal("not_authenticated", noKeyText(target));
  }
  const { createClient, pages } = await import("@svc/sdk");
  const { cookie, fetch, retries } = options;
  const client = createClient({
    baseUrl: target.url,
    // With null, the SDK takes no key from the environment. The target already has the key for its address.
    apiKey: target.apiKey ?? null,
    ...(cookie !== undefined && { cookie }),
    ...(fetch && { fetch }),
    ...(retries !== undefined && { retries }),
  });
  const { project: projectId, ...rest } = target;
  return { ...rest, projectId, client, pages };
}

export function noKeyText({ url, elsewhere }: Target): string {
  const login = `Run \`svc login\`, or set SVC_API_KEY.`;
  if (elsewhere === undefined) return `No API key for ${url}. ${login}`;
  const { profile, url: other } = elsewhere;
  return `No API key for ${url}: the key in the profile "${profile}" is for ${other}. Use that address, or another profile with --profile. ${login}`;
}

const HEALTH_TIMEOUT_MS = 3_000;

/** Throws when nothing answers at the address, because the missing key is then not the problem. */
async function requireAnswer({ url, urlFrom }: Target): Promise<void> {
  try {
    await fetch(`${url}/health`, { redirect: "manual", signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
  } catch (error) {
    throw new Refusal("unreachable", noAnswerText(`${url} (${urlFrom})`, error), EXIT.unreachable);
  }
}
