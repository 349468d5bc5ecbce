/** What may be set in code; the environment serves for the rest. */
export type MonitorOptions = {
  /** Address of the service, such as `https://svc.example.com`. Default: the environment's `SVC_URL`. */
  url?: string;
  /** A project-scoped API key, `svc_sk_…`. Default: the environment's `SVC_API_KEY`. */
  apiKey?: string;
  /** Name of the agent in the conversations. Default: the agent name that the job was dispatched to. */
  agentName?: string;
  /** Sends the key over plain http to a host other than this one, such as `http://svc:3100` in a private network. Default false. */
  allowInsecure?: boolean;
  /** The most milliseconds that the end of the job may wait for the last spans, 0 to 50 000. Default 10 000. */
  shutdownTimeoutMs?: number;
};

/** Names of tools, and what a call of one is sent with: `POST {toolsUrl}{name}` under the token. */
export type MockedTools = { names: string[]; token: string; toolsUrl: string };

export type Settings = {
  tracesUrl: string;
  apiKey: string;
  agentName: string | undefined;
  serviceName: string;
  /** The simulation that the worker's process was started for, by `svc runs start --agent-command`. */
  simulationId: string | undefined;
  /** What that simulation answers in place of the agent's own tools. */
  mockedTools: MockedTools | undefined;
  shutdownTimeoutMs: number;
};

const KEY = /^svc_sk_[A-Za-z0-9_-]{43}$/;
/** The framework kills a job's process 60 s after its shutdown began. */
const LONGEST_SHUTDOWN_MS = 50_000;

/** Reads and checks the settings; throws with the mend. No message repeats a value: it could be the key in the wrong place. */
export function readSettings(
  options: MonitorOptions,
  environment: Record<string, string | undefined> = process.env,
): Settings {
  const shutdownTimeoutMs = options.shutdownTimeoutMs ?? 10_000;
  if (!(shutdownTimeoutMs >= 0 && shutdownTimeoutMs <= LONGEST_SHUTDOWN_MS)) {
    throw refusal(`shutdownTimeoutMs must be 0 to ${LONGEST_SHUTDOWN_MS}: the job's process is killed soon after.`);
  }
  const tracesUrl = tracesUrlOf(given(options.url ?? environment.SVC_URL), options.allowInsecure === true);
  const simulationId = given(environment.SVC_SIMULATION_ID);
  return {
    tracesUrl,
    apiKey: checkedKey(given(options.apiKey ?? environment.SVC_API_KEY)),
    agentName: given(options.agentName),
    serviceName: given(environment.OTEL_SERVICE_NAME) ?? "livekit-agents",
    simulationId,
    mockedTools: mockedToolsOf(given(environment.SVC_SIMULATION_TOOLS), tracesUrl, simulationId),
    shutdownTimeoutMs,
  };
}

export const refusal = (message: string) => new Error(`monitor_platform_b: ${message}`);

/** Secret files often end with a line break. */
const given = (text: string | undefined): string | undefined => text?.trim() || undefined;

function checkedKey(key: string | undefined): string {
  if (key === undefined)
    throw refusal("SVC_API_KEY is not set: set it to a project-scoped key of the service, svc_sk_….");
  if (!KEY.test(key)) {
    throw refusal("SVC_API_KEY is not a whole key: it is svc_sk_ and 43 characters; copy it again, or make a new one.");
  }
  return key;
}

function mockedToolsOf(
  json: string | undefined,
  tracesUrl: string,
  simulationId: string | undefined,
): MockedTools | undefined {
  if (json === undefined || simulationId === undefined) return undefined;
  const toolsUrl = new URL(`simulations/${simulationId}/tools/`, tracesUrl).href;
  try {
    const { names, token } = JSON.parse(json) as Partial<MockedTools>;
    const areNames = Array.isArray(names) && names.every((name) => typeof name === "string");
    if (areNames && typeof token === "string") return { names, token, toolsUrl };
  } catch {
    // Told below.
  }
  throw refusal("SVC_SIMULATION_TOOLS is not what `svc runs start --agent-command` sets: take it out.");
}

function tracesUrlOf(text: string | undefined, allowInsecure: boolean): string {
  if (text === undefined)
    throw refusal("SVC_URL is not set: set it to the service's address, such as https://svc.example.com.");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refusal("SVC_URL is not an http address: write it whole, such as https://svc.example.com.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw refusal("SVC_URL must be the bare address: take out the user, password, query or fragment.");
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1/traces")) throw refusal("SVC_URL must be the service's address: take off /v1/traces.");
  if (url.protocol === "http:" && !allowInsecure && !isLoopback(url.hostname)) {
    throw refusal(
      "SVC_URL is plain http to another host, where the key could be read on the way: use https, or set allowInsecure: true in a private network.",
    );
  }
  return `${url.origin}${path}/v1/traces`;
}

const isLoopback = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
