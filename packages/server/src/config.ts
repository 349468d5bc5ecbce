import { KEY_PROVIDERS, type KeyProvider, providerKeyProblem } from "@svc/contract";
import { availableParallelism } from "node:os";
import type { z } from "zod";
import { keySetting, ProviderSettings, regionSetting, Settings } from "./settings.ts";

/** The usual port of the web interface. With a free port for the API, its port is a free one too. */
const WEB_PORT = 3101;
/** A call with sound takes up to a tenth of a core on this side; the rest is for the agent, which often runs beside it. */
const CALLS_PER_CORE = 4;
const LANGUAGE_MODEL = ["SVC_LLM_BASE_URL", "SVC_LLM_API_KEY", "SVC_LLM_MODEL"] as const;
const S3 = ["SVC_S3_ENDPOINT", "SVC_S3_BUCKET", "SVC_S3_ACCESS_KEY_ID", "SVC_S3_SECRET_ACCESS_KEY"] as const;
const MAIL = ["SVC_SMTP_URL", "SVC_MAIL_FROM"] as const;
/** Settings of speech, each with the one that it needs. */
const SPEECH = [
  ["SVC_TTS_API_KEY", "SVC_TTS_BASE_URL"],
  ["SVC_STT_API_KEY", "SVC_STT_BASE_URL"],
  ["SVC_STT_MODEL", "SVC_STT_BASE_URL"],
] as const;
/** The settings that replace the data folder. All processes on the databases have the same secrets. */
const DATABASES = ["SVC_DATABASE_URL", "SVC_CLICKHOUSE_URL"] as const;
const SHARED_SECRETS = ["SVC_AUTH_SECRET", "SVC_ENCRYPTION_KEY"] as const;
const PRICES = ["SVC_LLM_PRICE_INPUT", "SVC_LLM_PRICE_OUTPUT"] as const;

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
 * The deployment's keys of speech providers. They list only public voices, never those of an account, and they pay for the
 * speech of an organization without a key unless strangers may sign up.
 */
export type DeploymentKeys = Partial<Record<KeyProvider, { apiKey: string; region: string | undefined }>>;

export type Config = {
  port: number;
  /** The second port, which serves the same pages and API; the same number as `port` turns it off. */
  webPort: number;
  host: string;
  /** The public address, when it differs from the listening address. */
  baseUrl: string | undefined;
  /** The folder that holds everything. With `databases` it holds the files of one process: recordings on their way to the bucket. */
  dataDir: string;
  /** The databases in place of the data folder, which several processes share. */
  databases: Databases | undefined;
  rateLimitPerMinute: number;
  /** The limit of trace ingest alone; without it ingest counts with all other requests. */
  ingestRateLimitPerMinute: number | undefined;
  retentionDays: number | undefined;
  authSecret: string | undefined;
  /** Keys that seal credentials, separated by commas, newest first. */
  encryptionKey: string | undefined;
  /** Address of platform_a's API. */
  platformABaseUrl: string;
  /** The largest number of simulated calls with sound at one time. */
  callsAtOnce: number;
  openSignUp: boolean;
  /** The SMTP server that sends mail, and the sender; both are set or neither. */
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  trustProxy: boolean;
  /** Whether conversations show credentials in the attributes of their spans. */
  showsCredentials: boolean;
  /** Whether the service calls agents at private and loopback addresses. */
  outboundPrivate: boolean;
  providerKeys: DeploymentKeys;
  logLevel: string;
  /** `auto`: text when standard output is a terminal, else JSON. */
  logFormat: "auto" | "json" | "text";
  /** The language model of judges and model callers; undefined turns both off. */
  languageModel: LanguageModelSettings | undefined;
  speech: SpeechSettings;
  /** The object store of recordings; undefined keeps them in the data folder. */
  recordingStore: S3Settings | undefined;
  firstStart: FirstStart;
};

/** The addresses of PostgreSQL and of ClickHouse's HTTP interface, with their credentials. */
type Databases = {
  databaseUrl: string;
  clickHouseUrl: string;
  /** Whether the setting names the folder of this process; otherwise it is a temporary one. */
  hasFolder: boolean;
};

/** Endpoints of the OpenAI audio API in place of OpenAI's; `baseUrl` ends before `/audio`. Organizations' keys never reach them. */
export type SpeechSettings = {
  tts: SpeechEndpoint | undefined;
  stt: SpeechEndpoint | undefined;
  /** The speech recognition model for personas without one; it needs the endpoint `stt`. */
  sttModel: string | undefined;
};
type SpeechEndpoint = { baseUrl: string; apiKey: string | undefined };

/** A bucket behind the S3 interface, addressed by path. */
export type S3Settings = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** An OpenAI-compatible endpoint; `baseUrl` ends before `/chat/completions`. */
export type LanguageModelSettings = {
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Prices per million tokens; undefined when they are not known. */
  prices?: { input: number; cachedInput: number | null; output: number } | undefined;
};

/** Records that a first start creates without a person; each is optional. */
export type FirstStart = {
  organization: string | undefined;
  project: string | undefined;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  apiKey: string | undefined;
  projectApiKey: string | undefined;
};

/** Returns the settings; throws one message that names every malformed setting and its remedy. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ""));
  const parsed = Settings.safeParse(given);
  const providerKeys = DeploymentKeySettings.safeParse(given);
  const issues = [...(parsed.error?.issues ?? []), ...(providerKeys.error?.issues ?? [])];
  const faults = issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  for (const group of [LANGUAGE_MODEL, S3]) {
    const unset = group.filter((name) => given[name] === undefined);
    if (unset.length > 0 && unset.length < group.length)
      faults.push(...unset.map((name) => `  ${name}: set ${group.join(", ")} together, or none of them`));
  }
  const mailSet = MAIL.filter((name) => given[name] !== undefined);
  if (mailSet.length === 1) faults.push(`  ${mailSet[0]}: set ${MAIL.join(" and ")} together, or neither of them`);
  const pricesSet = PRICES.filter((name) => given[name] !== undefined);
  if (pricesSet.length === 1)
    faults.push(`  ${pricesSet[0]}: set ${PRICES.join(" and ")} together, or neither of them`);
  if (given["SVC_LLM_PRICE_CACHED_INPUT"] !== undefined && pricesSet.length === 0)
    faults.push(`  SVC_LLM_PRICE_CACHED_INPUT: set ${PRICES.join(" and ")} too`);
  const databasesSet = DATABASES.filter((name) => given[name] !== undefined);
  if (databasesSet.length === 1)
    faults.push(
      `  ${databasesSet[0]}: set ${DATABASES.join(" and ")} together, or neither of them: the first database holds the records, and the second one the spans of conversations`,
    );
  if (databasesSet.length > 0 && given["SVC_S3_ENDPOINT"] === undefined)
    faults.push(`  SVC_S3_ENDPOINT: set ${S3.join(", ")} too: no process with databases keeps recordings on its disk`);
  if (databasesSet.length > 0)
    for (const name of SHARED_SECRETS)
      if (given[name] === undefined)
        faults.push(
          `  ${name}: set the same value for every process on these databases; \`openssl rand -base64 33\` prints one`,
        );
  for (const [name, needed] of SPEECH)
    if (given[name] !== undefined && given[needed] === undefined) faults.push(`  ${name}: set ${needed} too`);
  if (!parsed.success || !providerKeys.success || faults.length > 0)
    throw new Error(`The service cannot start with these settings; change or unset them:\n${faults.join("\n")}`);
  const settings = parsed.data;
  return {
    port: settings.PORT,
    webPort: settings.SVC_WEB_PORT ?? (settings.PORT === 0 ? 0 : WEB_PORT),
    host: settings.SVC_HOST,
    baseUrl: settings.SVC_BASE_URL,
    dataDir: settings.SVC_DATA_DIR,
    databases: databasesOf(settings, given["SVC_DATA_DIR"] !== undefined),
    rateLimitPerMinute: settings.SVC_RATE_LIMIT_PER_MINUTE,
    ingestRateLimitPerMinute: settings.SVC_INGEST_RATE_LIMIT_PER_MINUTE,
    retentionDays: settings.SVC_RETENTION_DAYS,
    authSecret: settings.SVC_AUTH_SECRET,
    encryptionKey: settings.SVC_ENCRYPTION_KEY,
    platformABaseUrl: settings.SVC_PLATFORM_A_BASE_URL,
    callsAtOnce: settings.SVC_CALLS_AT_ONCE ?? CALLS_PER_CORE * availableParallelism(),
    openSignUp: settings.SVC_OPEN_SIGNUP,
    smtpUrl: settings.SVC_SMTP_URL,
    mailFrom: settings.SVC_MAIL_FROM,
    trustProxy: settings.SVC_TRUST_PROXY,
    showsCredentials: settings.SVC_SHOW_CREDENTIAL_ATTRIBUTES,
    // With open sign-up, strangers choose the addresses of agents.
    outboundPrivate:
      settings.SVC_OUTBOUND_PRIVATE === undefined
        ? !settings.SVC_OPEN_SIGNUP
        : settings.SVC_OUTBOUND_PRIVATE === "true",
    providerKeys: providerKeys.data,
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT,
    languageModel: languageModelOf(settings),
    speech: speechOf(settings),
    recordingStore: recordingStoreOf(settings),
    firstStart: {
      organization: settings.SVC_INIT_ORGANIZATION,
      project: settings.SVC_INIT_PROJECT,
      adminEmail: settings.SVC_INIT_ADMIN_EMAIL,
      adminPassword: settings.SVC_INIT_ADMIN_PASSWORD,
      apiKey: settings.SVC_INIT_API_KEY,
      projectApiKey: settings.SVC_INIT_PROJECT_API_KEY,
    },
  };
}

function databasesOf(settings: z.output<typeof Settings>, hasFolder: boolean): Databases | undefined {
  const { SVC_DATABASE_URL: databaseUrl, SVC_CLICKHOUSE_URL: clickHouseUrl } = settings;
  return databaseUrl === undefined || clickHouseUrl === undefined
    ? undefined
    : { databaseUrl, clickHouseUrl, hasFolder };
}

function languageModelOf(settings: z.output<typeof Settings>): LanguageModelSettings | undefined {
  const { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: model } = settings;
  if (!baseUrl || !apiKey || !model) return undefined;
  const { SVC_LLM_PRICE_INPUT: input, SVC_LLM_PRICE_OUTPUT: output } = settings;
  if (input === undefined || output === undefined) return { baseUrl, apiKey, model };
  return {
    baseUrl,
    apiKey,
    model,
    prices: { input, output, cachedInput: settings.SVC_LLM_PRICE_CACHED_INPUT ?? null },
  };
}

function recordingStoreOf(settings: z.output<typeof Settings>): S3Settings | undefined {
  const { SVC_S3_ENDPOINT: endpoint, SVC_S3_BUCKET: bucket, SVC_S3_REGION: region } = settings;
  const { SVC_S3_ACCESS_KEY_ID: accessKeyId, SVC_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

function speechOf(settings: z.output<typeof Settings>): SpeechSettings {
  const endpointOf = (baseUrl: string | undefined, apiKey: string | undefined) =>
    baseUrl === undefined ? undefined : { baseUrl, apiKey };
  return {
    tts: endpointOf(settings.SVC_TTS_BASE_URL, settings.SVC_TTS_API_KEY),
    stt: endpointOf(settings.SVC_STT_BASE_URL, settings.SVC_STT_API_KEY),
    sttModel: settings.SVC_STT_MODEL,
  };
}
