import type { Client, pages } from "@svc/sdk";
import { Refusal } from "../refusal.ts";
import type { Target, TargetOptions } from "./target.ts";

/** The client of one command with the profile that it uses. */
export type Session = Omit<Target, "project"> & {
  /** Id or exact name of the project that the command uses; undefined means the only project of the key. */
  projectId: string | undefined;
  client: Client;
  pages: typeof pages;
};

export type SessionOptions = TargetOptions & {
  /** Target to use in place of the one from the flags, the environment and the profile. */
  target?: Target;
  /** A session cookie, in place of a key. */
  cookie?: string;
  fetch?: typeof globalThis.fetch;
  retries?: number;
};

/** Creates a client for the target and loads the SDK; refuses a target without a key unless the options allow it. */
export async function createSession(target: Target, options: SessionOptions = {}): Promise<Session> {
  if (options.key !== "none" && target.apiKey === undefined) {
    throw new Refusal("not_authenticated", `No API key for ${target.url}. Run \`svc login\`, or set SVC_API_KEY.`);
  }
  const { createClient, pages } = await import("@svc/sdk");
  const { cookie, fetch, retries } = options;
  const client = createClient({
    baseUrl: target.url,
    // The environment is the target's business: a key of it belongs to one address.
    apiKey: target.apiKey ?? null,
    ...(cookie !== undefined && { cookie }),
    ...(fetch && { fetch }),
    ...(retries !== undefined && { retries }),
  });
  const { project: projectId, ...rest } = target;
  return { ...rest, projectId, client, pages };
}
