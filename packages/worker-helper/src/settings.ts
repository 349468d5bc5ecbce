import { dispatchedSimulation } from "./dispatched-simulation.ts";

/** Options of `monitor_platform_b`. They take precedence over the environment. */
export type MonitorOptions = {
  /** Address of the service, such as `https://svc.example.com`. Default: the environment variable `SVC_URL`. */
  url?: string;
  /** Project-scoped API key with the permission `ingest`, `svc_sk_…`. Default: the environment variable `SVC_API_KEY`. */
  apiKey?: string;
  /** Name of the agent in the conversations. Default: the agent name to which the job was dispatched. */
  agentName?: string;
  /** Version of the agent in the conversations, such as a release. Default: the environment variable `SVC_AGENT_VERSION`. */
  agentVersion?: string;
  /**
   * Allows plain http to another host, such as `http://svc:3100` in a private network. Without encryption, others on that network can
   * read the API key. Default: false.
   */
  allowInsecure?: boolean;
  /** Maximum time in milliseconds that the end of the job waits for the last spans, from 0 to 50000. Default: 10000. */
  shutdownTimeoutMs?: number;
};

/** Mock tools of a simulation. A call is a `POST` to `{toolsUrl}{name}` with the bearer token. */
export type MockToolSettings = { names: string[]; token: string; toolsUrl: string };

/** Validated settings of one job. */
export type MonitorSettings = {
  tracesUrl: string;
  apiKey: string;
  agentName: string | undefined;
  agentVersion: string | undefined;
  serviceName: string;
  /** Id of the simulation that this job plays in; undefined in production. */
  simulationId: string | undefined;
  /** Number of the attempt at that simulation; undefined when it is unknown. */
  simulationAttempt: number | undefined;
  mockTools: MockToolSettings | undefined;
  shutdownTimeoutMs: number;
};

const KEY = /^svc_sk_[A-Za-z0-9_-]{43}$/;
/** Maximum of `shutdownTimeoutMs`. The framework kills the process of a job 60 s after the start of its shutdown. */
const LONGEST_SHUTDOWN_MS = 50_000;

/**
 * Returns the settings from the options, the environment and the metadata of the job's dispatch. Throws an error with the remedy for a
 * missing or malformed setting. No message repeats a value, because the value could be an API key in the wrong variable.
 */
export function readSettings(
  options: MonitorOptions,
  environment: Record<string, string | undefined> = process.env,
  dispatchMetadata?: string,
): MonitorSettings {
  const shutdownTimeoutMs = options.shutdownTimeoutMs ?? 10_000;
  if (!(shutdownTimeoutMs >= 0 && shutdownTimeoutMs <= LONGEST_SHUTDOWN_MS)) {
    throw refusal(`shutdownTimeoutMs must be 0 to ${LONGEST_SHUTDOWN_MS}: the framework kills the process soon after.`);
  }
  const tracesUrl = tracesUrlOf(trimmed(options.url ?? environment.SVC_URL), options.allowInsecure === true);
  const startedFor = trimmed(environment.SVC_SIMULATION_ID);
  const dispatched = startedFor === undefined ? dispatchedSimulation(dispatchMetadata) : undefined;
  return {
    tracesUrl,
    apiKey: checkKey(trimmed(options.apiKey ?? environment.SVC_API_KEY)),
    agentName: trimmed(options.agentName),
    agentVersion: trimmed(options.agentVersion ?? environment.SVC_AGENT_VERSION),
    serviceName: trimmed(environment.OTEL_SERVICE_NAME) ?? "livekit-agents",
    simulationId: startedFor ?? dispatched?.simulationId,
    simulationAttempt: dispatched ? dispatched.attempt : attemptOf(trimmed(environment.SVC_SIMULATION_ATTEMPT)),
    mockTools: dispatched
      ? dispatched.tools && { ...dispatched.tools, toolsUrl: toolsUrlOf(dispatched.simulationId, tracesUrl) }
      : mockToolsOf(trimmed(environment.SVC_SIMULATION_TOOLS), tracesUrl, startedFor),
    shutdownTimeoutMs,
  };
}

export const refusal = (message: string) => new Error(`monitor_platform_b: ${message}`);

/** Returns the text without surrounding white space, because files with secrets often end with a line break; undefined when empty. */
const trimmed = (text: string | undefined): string | undefined => text?.trim() || undefined;

const attemptOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

function checkKey(key: string | undefined): string {
  if (key === undefined)
    throw refusal(
      "SVC_API_KEY is not set: set it to a project-scoped key of the service with the permission ingest, svc_sk_….",
    );
  if (!KEY.test(key)) {
    throw refusal(
      "SVC_API_KEY is not a complete key: a key is svc_sk_ and 43 characters. Copy it again, or create a new one.",
    );
  }
  return key;
}

function mockToolsOf(
  json: string | undefined,
  tracesUrl: string,
  simulationId: string | undefined,
): MockToolSettings | undefined {
  if (json === undefined || simulationId === undefined) return undefined;
  const toolsUrl = toolsUrlOf(simulationId, tracesUrl);
  try {
    const { names, token } = JSON.parse(json) as Partial<MockToolSettings>;
    const areNames = Array.isArray(names) && names.every((name) => typeof name === "string");
    if (areNames && typeof token === "string") return { names, token, toolsUrl };
  } catch {
    // A text that is not JSON leads to the error below.
  }
  throw refusal("SVC_SIMULATION_TOOLS does not come from `svc runs start --agent-command`: unset it.");
}

const toolsUrlOf = (simulationId: string, tracesUrl: string): string =>
  new URL(`simulations/${simulationId}/tools/`, tracesUrl).href;

function tracesUrlOf(text: string | undefined, allowInsecure: boolean): string {
  if (text === undefined)
    throw refusal("SVC_URL is not set: set it to the service's address, such as https://svc.example.com.");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refusal("SVC_URL is not an http address: set the complete address, such as https://svc.example.com.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw refusal("SVC_URL must be the address only: remove the user, password, query or fragment.");
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1/traces")) throw refusal("SVC_URL must be the service's address: remove /v1/traces.");
  if (url.protocol === "http:" && !allowInsecure && !isLoopback(url.hostname)) {
    throw refusal(
      "SVC_URL is plain http to another host, and others on the network could read the key: use https, or set allowInsecure: true in a private network.",
    );
  }
  return `${url.origin}${path}/v1/traces`;
}

const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
