import { issueText, KEY_PROVIDERS, type KeyProvider, nearest, providerKeyProblem } from "@svc/contract";
import { availableParallelism } from "node:os";
import type { z } from "zod";
import { keySetting, ProviderSettings, regionSetting, Settings } from "./settings.ts";

const LARGEST_PORT = 65_535;
/**
 * Default number of simultaneous calls with sound for each core. A call uses up to a tenth of a core in the service. The rest of the core
 * is for the agent, which often runs on the same machine.
 */
const CALLS_PER_CORE = 4;

type SettingName = keyof typeof Settings.shape;

const S3: SettingName[] = ["SVC_S3_ENDPOINT", "SVC_S3_BUCKET", "SVC_S3_ACCESS_KEY_ID", "SVC_S3_SECRET_ACCESS_KEY"];
/** Settings that have to be set together or not at all. `reason` explains the less obvious cases. */
const TOGETHER: readonly { names: SettingName[]; reason?: string }[] = [
  { names: ["SVC_LLM_BASE_URL", "SVC_LLM_API_KEY", "SVC_LLM_MODEL"] },
  { names: ["SVC_LLM_PRICE_INPUT", "SVC_LLM_PRICE_OUTPUT"] },
  { names: ["SVC_EMBEDDINGS_BASE_URL", "SVC_EMBEDDINGS_MODEL"] },
  { names: S3 },
  { names: ["SVC_SMTP_URL", "SVC_MAIL_FROM"] },
  {
    names: ["SVC_DATABASE_URL", "SVC_CLICKHOUSE_URL"],
    reason: "the first database holds the records, and the second one the spans of conversations",
  },
];
const SAME_SECRET = "set the same value for every process on these databases; `openssl rand -base64 33` prints one";
/** Settings that require another setting: `by` requires `needed`. The error message names the setting `at`, by default `by`. */
const NEEDED: readonly { by: SettingName; needed: SettingName; at?: SettingName; remedy?: string }[] = [
  { by: "SVC_EMBEDDINGS_API_KEY", needed: "SVC_EMBEDDINGS_BASE_URL" },
  { by: "SVC_EMBEDDINGS_SIMILARITY", needed: "SVC_EMBEDDINGS_BASE_URL" },
  { by: "SVC_TTS_API_KEY", needed: "SVC_TTS_BASE_URL" },
  { by: "SVC_OTLP_TRACES_HEADERS", needed: "SVC_OTLP_TRACES_URL" },
  { by: "SVC_STT_API_KEY", needed: "SVC_STT_BASE_URL" },
  { by: "SVC_STT_MODEL", needed: "SVC_STT_BASE_URL" },
  {
    by: "SVC_DATABASE_URL",
    needed: "SVC_S3_ENDPOINT",
    at: "SVC_S3_ENDPOINT",
    remedy: `set ${S3.join(", ")} too: no process with databases keeps recordings on its disk`,
  },
  { by: "SVC_DATABASE_URL", needed: "SVC_AUTH_SECRET", at: "SVC_AUTH_SECRET", remedy: SAME_SECRET },
  { by: "SVC_DATABASE_URL", needed: "SVC_ENCRYPTION_KEY", at: "SVC_ENCRYPTION_KEY", remedy: SAME_SECRET },
];

/**
 * Removed settings, and what to do instead. The service refuses to start with one of them: if it ignored the former setting of the first
 * admin, the first visitor could claim the service.
 */
const GONE: Record<string, string> = {
  SVC_INIT_ADMIN_EMAIL: "set SVC_INIT_ADMIN=email:password instead",
  SVC_INIT_ADMIN_PASSWORD: "set SVC_INIT_ADMIN=email:password instead",
  SVC_INIT_API_KEY: "set SVC_INIT_API_KEYS=organization:svc_sk_… instead",
  SVC_INIT_PROJECT_API_KEY: "set SVC_INIT_API_KEYS=project:svc_sk_… instead",
  SVC_INIT_ORGANIZATION: "unset it, and name the organization on the page of its settings",
  SVC_INIT_PROJECT: "unset it, and name the project on the page of its settings",
  SVC_LLM_PRICE_CACHED_INPUT: "unset it; cached input costs as much as other input",
  SVC_SHOW_CREDENTIAL_ATTRIBUTES: "unset it; credentials in span attributes are always masked",
};

const DeploymentKeySettings = ProviderSettings.transform((settings, context) => {
  const keys: DeploymentKeys = {};
  for (const provider of Object.keys(KEY_PROVIDERS) as KeyProvider[]) {
    const apiKey = settings[keySetting(provider)];
    if (apiKey === undefined) continue;
    const key = { apiKey, region: settings[regionSetting(provider)] };
    const message = providerKeyProblem(provider, key);
    const lacksRegion = KEY_PROVIDERS[provider].regional && key.region === undefined;
    const setting = lacksRegion ? regionSetting(provider) : keySetting(provider);
    if (message) context.addIssue({ code: "custom", path: [setting], message });
    keys[provider] = key;
  }
  return keys;
});

/**
 * API keys of speech providers in the deployment's settings. With these keys the service lists only public voices, never the voices of an
 * account. Unless open sign-up is on, the keys also pay for the speech of organizations that have no key.
 */
export type DeploymentKeys = Partial<Record<KeyProvider, { apiKey: string; region: string | undefined }>>;

export type Config = ReturnType<typeof configOf> & {
  /** PEM file of further authorities of certificates. Node reads it in this process; the service passes it on to media processes. */
  authoritiesFile?: string | undefined;
};
/**
 * Endpoints of the OpenAI audio API that replace OpenAI's own. `baseUrl` is the part before `/audio`. The service never sends keys of
 * organizations to these endpoints.
 */
export type SpeechSettings = Config["speech"];
/** Bucket with the S3 interface, addressed by path. */
export type S3Settings = NonNullable<Config["recordingStore"]>;
/** OpenAI-compatible endpoint. `baseUrl` is the part before `/chat/completions`. */
export type LanguageModelSettings = NonNullable<Config["languageModel"]>;
export type EmbeddingsSettings = NonNullable<Config["embeddings"]>;
/** Admin and API keys that the first start creates. Each is optional. */
export type FirstStart = Config["firstStart"];

/** Reads the settings from environment variables. Throws one error that names every invalid setting and its remedy. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ""));
  const parsed = Settings.safeParse(given, { error: issueText });
  const providerKeys = DeploymentKeySettings.safeParse(given, { error: issueText });
  const issues = [...(parsed.error?.issues ?? []), ...(providerKeys.error?.issues ?? [])];
  const gone = Object.keys(GONE).filter((name) => given[name] !== undefined);
  const faults = [
    ...issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
    ...missingIn(given),
    ...gone.map((name) => `${name}: this setting is gone; ${GONE[name]}`),
  ];
  if (!parsed.success || !providerKeys.success || faults.length > 0) {
    const list = faults.map((fault) => `\n  ${fault}`).join("");
    throw new Error(`The service cannot start with these settings; change or unset them:${list}`);
  }
  const config = configOf(parsed.data, providerKeys.data, given["SVC_DATA_DIR"] !== undefined);
  return { ...config, authoritiesFile: given["NODE_EXTRA_CA_CERTS"] };
}

/** Settings of the command line and other clients. They are often set in the same shell as the settings of the service. */
const OF_CLIENTS =
  /^SVC_(URL|API_KEY|PROJECT|PROFILE|CONFIG_DIR|CACHE_DIR|PASSWORD|NEW_PASSWORD|PROVIDER_KEY|PLATFORM_A_API_KEY|CREDENTIAL_\w+|SIMULATION_\w+|TEST_\w+)$/;
/** Environment variables that Kubernetes sets for a Service with the name `svc`. */
const OF_KUBERNETES = /^SVC_(SERVICE|PORT)(_|$)/;

/**
 * Returns each environment variable with the prefix `SVC_` that no program of this project reads. `meaning` proposes the setting with the
 * most similar name.
 */
export function unknownSettings(environment: Record<string, string | undefined>): { name: string; meaning: string }[] {
  const known = [...Object.keys(Settings.shape), ...Object.keys(ProviderSettings.shape)];
  const isInKubernetes = environment["KUBERNETES_SERVICE_HOST"] !== undefined;
  const bare = new Map(known.map((name) => [name.replace(/^SVC_/, ""), name]));
  return Object.keys(environment)
    .filter((name) => name.startsWith("SVC_") && !known.includes(name) && GONE[name] === undefined)
    .filter((name) => !OF_CLIENTS.test(name) && !(isInKubernetes && OF_KUBERNETES.test(name)))
    .map((name) => {
      const meant = bare.get(nearest(name.replace(/^SVC_/, ""), bare.keys()) ?? "");
      const proposal = meant === undefined ? "" : ` Did you mean ${meant}?`;
      return { name, meaning: `${name} is no setting of the service, which ignores it.${proposal}` };
    });
}

function missingIn(given: Record<string, string | undefined>): string[] {
  const isSet = (name: SettingName) => given[name] !== undefined;
  const apart = TOGETHER.filter(({ names }) => names.some(isSet) && !names.every(isSet)).flatMap(
    ({ names, reason }) => {
      const remedy = `set ${names.join(", ")} together, or none of them${reason === undefined ? "" : `: ${reason}`}`;
      return names.filter((name) => !isSet(name)).map((name) => `${name}: ${remedy}`);
    },
  );
  const needed = NEEDED.filter((rule) => isSet(rule.by) && !isSet(rule.needed));
  return [...apart, ...needed.map((rule) => `${rule.at ?? rule.by}: ${rule.remedy ?? `set ${rule.needed} too`}`)];
}

function configOf(settings: z.output<typeof Settings>, providerKeys: DeploymentKeys, hasFolder: boolean) {
  return {
    port: settings.PORT,
    /** Second port with the same pages and API. The same number as `port` turns the second port off. */
    webPort: settings.SVC_WEB_PORT ?? (settings.PORT === 0 ? 0 : Math.min(settings.PORT + 1, LARGEST_PORT)),
    host: settings.SVC_HOST,
    /** Port that serves only `/metrics`; undefined when metrics have no port of their own. */
    metricsPort: settings.SVC_METRICS_PORT,
    /** Bearer token for `/metrics`, also on the other ports. */
    metricsToken: settings.SVC_METRICS_TOKEN,
    /** OTLP address for the service's own spans, with the headers of its requests; undefined when the service sends no spans. */
    ownTraces:
      settings.SVC_OTLP_TRACES_URL === undefined
        ? undefined
        : { url: settings.SVC_OTLP_TRACES_URL, headers: settings.SVC_OTLP_TRACES_HEADERS ?? {} },
    /** Public address, when it differs from the listening address. */
    baseUrl: settings.SVC_BASE_URL,
    /** Data folder. With `databases`, it contains only the files of one process: recordings that are not yet in the bucket. */
    dataDir: settings.SVC_DATA_DIR,
    /** Databases that replace the data folder. Several processes share them. */
    databases: databasesOf(settings, hasFolder),
    rateLimitPerMinute: settings.SVC_RATE_LIMIT_PER_MINUTE,
    /** Separate rate limit of trace ingest. Without it, ingest counts against `rateLimitPerMinute`. */
    ingestRateLimitPerMinute: settings.SVC_INGEST_RATE_LIMIT_PER_MINUTE,
    retentionDays: settings.SVC_RETENTION_DAYS,
    auditRetentionDays: settings.SVC_AUDIT_RETENTION_DAYS,
    authSecret: settings.SVC_AUTH_SECRET,
    /** Keys that encrypt stored credentials, separated by commas, the newest first. */
    encryptionKey: settings.SVC_ENCRYPTION_KEY,
    platformABaseUrl: settings.SVC_PLATFORM_A_BASE_URL,
    platformARoomUrl: settings.SVC_PLATFORM_A_ROOM_URL,
    /** Largest number of simultaneous simulated calls with sound. */
    callsAtOnce: settings.SVC_CALLS_AT_ONCE ?? CALLS_PER_CORE * availableParallelism(),
    openSignUp: settings.SVC_OPEN_SIGNUP,
    /** SMTP server and sender of mails; either both are set or neither is. */
    smtpUrl: settings.SVC_SMTP_URL,
    mailFrom: settings.SVC_MAIL_FROM,
    trustProxy: settings.SVC_TRUST_PROXY,
    /** Origins whose pages may call the API with a key. */
    corsOrigins: settings.SVC_CORS_ORIGINS ?? new Set<string>(),
    /**
     * Whether the service calls agents at private and loopback addresses. Default: true unless open sign-up is on, because open sign-up
     * lets strangers choose these addresses.
     */
    outboundPrivate:
      settings.SVC_OUTBOUND_PRIVATE === undefined
        ? !settings.SVC_OPEN_SIGNUP
        : settings.SVC_OUTBOUND_PRIVATE === "true",
    providerKeys,
    logLevel: settings.LOG_LEVEL,
    /** With `auto`, the log is text when standard output is a terminal, else JSON. */
    logFormat: settings.LOG_FORMAT,
    /** Language model of judges and model callers; undefined turns both off. */
    languageModel: languageModelOf(settings),
    /** Embedding model that joins failures by meaning; undefined when they are grouped by words alone. */
    embeddings: embeddingsOf(settings),
    speech: {
      tts: endpointOf(settings.SVC_TTS_BASE_URL, settings.SVC_TTS_API_KEY),
      stt: endpointOf(settings.SVC_STT_BASE_URL, settings.SVC_STT_API_KEY),
      /** Speech recognition model for personas without one. It requires the endpoint `stt`. */
      sttModel: settings.SVC_STT_MODEL,
    },
    /** Object store of recordings; undefined when recordings are in the data folder. */
    recordingStore: recordingStoreOf(settings),
    firstStart: { admin: settings.SVC_INIT_ADMIN, keys: settings.SVC_INIT_API_KEYS },
  };
}

/**
 * Returns the addresses of PostgreSQL and of ClickHouse's HTTP interface, with their credentials. When `hasFolder` is false, no setting
 * names a folder for this process, and the process uses a temporary folder.
 */
function databasesOf(settings: z.output<typeof Settings>, hasFolder: boolean) {
  const { SVC_DATABASE_URL: databaseUrl, SVC_CLICKHOUSE_URL: clickHouseUrl } = settings;
  return databaseUrl === undefined || clickHouseUrl === undefined
    ? undefined
    : { databaseUrl, clickHouseUrl, hasFolder };
}

type LanguageModel = { baseUrl: string; apiKey: string; model: string; prices?: ReturnType<typeof pricesOf> };

function languageModelOf(settings: z.output<typeof Settings>): LanguageModel | undefined {
  const { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model } = settings;
  if (!baseUrl || !apiKey || !model) return undefined;
  return { baseUrl, apiKey, model, prices: pricesOf(settings) };
}

function pricesOf(settings: z.output<typeof Settings>) {
  const { SVC_LLM_PRICE_INPUT: input, SVC_LLM_PRICE_OUTPUT: output } = settings;
  if (input === undefined || output === undefined) return undefined;
  return { input, output };
}

function embeddingsOf(settings: z.output<typeof Settings>) {
  const { SVC_EMBEDDINGS_BASE_URL: baseUrl, SVC_EMBEDDINGS_API_KEY: apiKey } = settings;
  const { SVC_EMBEDDINGS_MODEL: model, SVC_EMBEDDINGS_SIMILARITY: similarity } = settings;
  return baseUrl === undefined || model === undefined ? undefined : { baseUrl, apiKey, model, similarity };
}

function recordingStoreOf(settings: z.output<typeof Settings>) {
  const { SVC_S3_ENDPOINT: endpoint, SVC_S3_BUCKET: bucket, SVC_S3_REGION: region } = settings;
  const { SVC_S3_ACCESS_KEY_ID: accessKeyId, SVC_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

const endpointOf = (baseUrl: string | undefined, apiKey: string | undefined) =>
  baseUrl === undefined ? undefined : { baseUrl, apiKey };
