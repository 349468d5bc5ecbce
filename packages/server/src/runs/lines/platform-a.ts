import { askAgent } from "./ask-agent.ts";
import { LineFailure } from "./line.ts";
import type { LineContext } from "./line-type.ts";

type Asked = Pick<LineContext, "platformABaseUrl" | "connection"> & { apiKey: string };

/** What a request to platform_a needs besides its address. */
export const asPlatformA = (apiKey: string) =>
  ({ headers: { authorization: `Bearer ${apiKey}` }, privateAddresses: "allow" }) as const;

/** Asks platform_a to begin a conversation with the connection's agent, and returns its answer. `what` names the conversation. */
export async function beginOnPlatformA(
  { platformABaseUrl, connection, apiKey }: Asked,
  { path, what }: { path: string; what: string },
  signal: AbortSignal,
): Promise<unknown> {
  const url = new URL(path, `${platformABaseUrl}/`);
  const json = { agent_id: connection.config.platformAAgentId! };
  const request = { method: "POST", url, ...asPlatformA(apiKey), json, once: true } as const;
  return askAgent(request, { first: true, signal }).catch((error: unknown) => {
    throw isOfAgent(error) ? notBegun(what, error.message) : error;
  });
}

/** The agent is not the cause, because the platform did not start an agent. */
export const notBegun = (what: string, why: string): LineFailure =>
  new LineFailure(
    "connection_refused",
    `The platform opened no ${what}; check the connection's platformAAgentId. ${why}`,
  );

const isOfAgent = (error: unknown): error is LineFailure =>
  error instanceof LineFailure && (error.reason === "agent_error" || error.reason === "agent_never_joined");
