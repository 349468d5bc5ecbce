import { KEY_PROVIDERS, LIMITS, REGION_PATTERN, VISIBLE_ASCII } from "@svc/contract";
import { z } from "zod";
import {
  port,
  flag,
  count,
  text,
  listenAddress,
  KEY_CHARACTERS_MIN,
  keyMaterial,
  metricsToken,
  keyList,
  firstKeys,
  address,
  originList,
  headerList,
  databaseAddress,
  clickHouseAddress,
  bucket,
  smtpAddress,
  sender,
  firstAdmin,
  price,
  share,
  LOG_LEVELS,
} from "./setting-values.ts";

/** Groups of settings, in the order of docs/configuration.md. */
export const SETTING_GROUPS = [
  "Addresses",
  "Data",
  "Databases",
  "Recordings",
  "Limits",
  "Accounts and mail",
  "Language model",
  "Embeddings",
  "Speech",
  "Secrets",
  "First start",
  "Log",
] as const;

/** Documentation of a setting. `unset` says what happens without a value when the schema has no default. */
export type SettingText = { group: (typeof SETTING_GROUPS)[number]; meaning: string; unset?: string };

const setting = <T extends z.ZodType>(
  schema: T,
  group: SettingText["group"],
  meaning: string,
  unset: string | undefined = undefined,
): T => schema.meta({ group, meaning, ...(unset !== undefined && { unset }) });

export const Settings = z.object({
  PORT: setting(port.default(3100), "Addresses", "The port of the API and the pages. `0` takes a free port."),
  SVC_WEB_PORT: setting(
    port.optional(),
    "Addresses",
    "A second port with the same pages and API. With the value of `PORT` the service listens on one port only.",
    "the port after `PORT`, `3101`; a free port when `PORT` is `0`",
  ),
  SVC_METRICS_PORT: setting(
    port.optional(),
    "Addresses",
    "A port that answers only `/metrics`, in Prometheus' text format, at the address `SVC_HOST`. Without `SVC_METRICS_TOKEN`, everybody who reaches the port reads the numbers. See [metrics](self-hosting.md#metrics).",
    "no port of its own",
  ),
  SVC_METRICS_TOKEN: setting(
    metricsToken.optional(),
    "Addresses",
    `A token of at least ${KEY_CHARACTERS_MIN} characters, without spaces. Requests with \`Authorization: Bearer\` and this token can read \`/metrics\` on the ports of the API and the pages. If it is set, \`SVC_METRICS_PORT\` asks for it too.`,
    "these ports have no metrics",
  ),
  SVC_OTLP_TRACES_URL: setting(
    address.optional(),
    "Addresses",
    "An address that takes traces by OTLP over HTTP, such as `http://localhost:4318/v1/traces`. The service sends its own spans there: requests, calls of other services, simulations, grades and imports, with ids and never with words. Do not name a service of svc. See [traces of the service](self-hosting.md#traces-of-the-service).",
    "the service sends no spans of its own",
  ),
  SVC_OTLP_TRACES_HEADERS: setting(
    headerList.optional(),
    "Addresses",
    "Headers of these requests, such as `authorization=Bearer …`, with commas between several.",
    "no more headers",
  ),
  SVC_HOST: setting(listenAddress.default("127.0.0.1"), "Addresses", "The address to listen on."),
  SVC_BASE_URL: setting(
    address.optional(),
    "Addresses",
    "The public address, for a service behind a proxy. With `https`, cookies are secure.",
    "the listening address",
  ),
  SVC_TRUST_PROXY: setting(
    flag,
    "Addresses",
    "Take the client's address from `X-Forwarded-For` and the scheme from `X-Forwarded-Proto`. Set it only when every request passes a proxy that overwrites both.",
  ),
  SVC_CORS_ORIGINS: setting(
    originList.optional(),
    "Addresses",
    "The origins whose pages may call the API with a key, such as `https://app.example.com`; several with commas. They cannot use a person's session. See [pages of other origins](security.md#pages-of-other-origins).",
    "no page of another origin",
  ),
  SVC_OUTBOUND_PRIVATE: setting(
    z.enum(["true", "false"], "use true or false").optional(),
    "Addresses",
    "Call agents at private and loopback addresses. Addresses in these settings may be private without it.",
    "`true`; `false` with open sign-up",
  ),
  SVC_PLATFORM_A_BASE_URL: setting(
    address.default("https://api.retellai.com"),
    "Addresses",
    "The address of Retell's API.",
  ),
  SVC_PLATFORM_A_ROOM_URL: setting(
    address.default("https://retell-ai-4ihahnq7.livekit.cloud"),
    "Addresses",
    "The address of the media server on which Retell's web calls take place.",
  ),
  SVC_DATA_DIR: setting(
    text.default("./svc-data"),
    "Data",
    "The folder that holds everything. With databases, it only holds recordings that are not yet in the object store: each process needs a folder of its own, and has a temporary one unless you set it.",
  ),
  SVC_RETENTION_DAYS: setting(
    count.optional(),
    "Data",
    "Days after which the service erases conversations from the disk, counted from the receipt of their spans. A project can have a shorter retention of its own. See [erasure](backup.md#erasure).",
    "conversations stay",
  ),
  SVC_AUDIT_RETENTION_DAYS: setting(
    count.default(365),
    "Data",
    "Days after which lines of the [audit](people.md#audit) are deleted. Conversations have a retention of their own.",
  ),
  SVC_DATABASE_URL: setting(
    databaseAddress.optional(),
    "Databases",
    "A PostgreSQL database in place of the data folder, for any number of processes. Needs `SVC_CLICKHOUSE_URL`, `SVC_AUTH_SECRET`, `SVC_ENCRYPTION_KEY` and an object store for recordings. See [scale](scale.md).",
    "everything is in the data folder",
  ),
  SVC_CLICKHOUSE_URL: setting(
    clickHouseAddress.optional(),
    "Databases",
    "A ClickHouse database for the spans of all processes, with its name as the path. Needs `SVC_DATABASE_URL`.",
    "everything is in the data folder",
  ),
  SVC_S3_ENDPOINT: setting(
    address.optional(),
    "Recordings",
    "The address of an object store with the S3 interface, such as `https://s3.eu-central-1.amazonaws.com`. The service keeps recordings there and names the bucket in the path. Set this, the bucket and both parts of the key together. See [recordings in an object store](self-hosting.md#recordings-in-an-object-store).",
    "recordings stay in the data folder",
  ),
  SVC_S3_BUCKET: setting(
    bucket.optional(),
    "Recordings",
    "The bucket, which only this service uses: it removes recordings that it does not know.",
    "recordings stay in the data folder",
  ),
  SVC_S3_REGION: setting(text.default("us-east-1"), "Recordings", "The region of the bucket."),
  SVC_S3_ACCESS_KEY_ID: setting(
    text.optional(),
    "Recordings",
    "The id of a key that may read, write, delete and list the objects of the bucket.",
    "recordings stay in the data folder",
  ),
  SVC_S3_SECRET_ACCESS_KEY: setting(
    text.optional(),
    "Recordings",
    "The secret of `SVC_S3_ACCESS_KEY_ID`.",
    "recordings stay in the data folder",
  ),
  SVC_RATE_LIMIT_PER_MINUTE: setting(
    count.default(LIMITS.requestsPerMinute),
    "Limits",
    "Requests per organization and minute. See [ingest limits](ingest.md).",
  ),
  SVC_INGEST_RATE_LIMIT_PER_MINUTE: setting(
    count.optional(),
    "Limits",
    "Exports of spans per organization and minute, apart from other requests and refilled continuously. A refused export may be repeated after 5 seconds at most.",
    "exports count with all requests",
  ),
  SVC_CALLS_AT_ONCE: setting(
    count.optional(),
    "Limits",
    "The largest number of simulated calls with sound at one time. Other simulations wait for their turn. See [sizing](sizing.md).",
    "4 for each core",
  ),
  SVC_OPEN_SIGNUP: setting(flag, "Accounts and mail", "Let anyone sign up with a new organization."),
  SVC_SMTP_URL: setting(
    smtpAddress.optional(),
    "Accounts and mail",
    "The SMTP server of invitations and password resets: `smtp://` or `smtps://`, with user and password. Needs `SVC_MAIL_FROM`.",
    "no mail",
  ),
  SVC_MAIL_FROM: setting(
    sender.optional(),
    "Accounts and mail",
    "The sender of invitations and password resets.",
    "no mail",
  ),
  SVC_LLM_BASE_URL: setting(
    address.optional(),
    "Language model",
    "An endpoint of the OpenAI chat API, such as `https://api.openai.com/v1`. The model plays callers and judges behaviors. Set this, the key and the model together.",
    "no language model",
  ),
  SVC_LLM_API_KEY: setting(
    text.optional(),
    "Language model",
    "The API key for `SVC_LLM_BASE_URL`.",
    "no language model",
  ),
  SVC_LLM_MODEL: setting(text.optional(), "Language model", "The name of the language model.", "no language model"),
  SVC_LLM_PRICE_INPUT: setting(
    price.optional(),
    "Language model",
    "The price of a million input tokens, in any currency. Set it together with the price of output tokens.",
    "costs are unknown",
  ),
  SVC_LLM_PRICE_OUTPUT: setting(
    price.optional(),
    "Language model",
    "The price of a million output tokens.",
    "costs are unknown",
  ),
  SVC_EMBEDDINGS_BASE_URL: setting(
    address.optional(),
    "Embeddings",
    "An endpoint of the OpenAI embeddings API, such as `https://api.openai.com/v1`. [Failure groups](groups.md#groups-by-meaning) use it to join turns that mean the same. Set this and the model together.",
    "failures are grouped by words alone",
  ),
  SVC_EMBEDDINGS_API_KEY: setting(
    text.optional(),
    "Embeddings",
    "The API key for `SVC_EMBEDDINGS_BASE_URL`.",
    "no key",
  ),
  SVC_EMBEDDINGS_MODEL: setting(
    text.optional(),
    "Embeddings",
    "The name of the embedding model.",
    "failures are grouped by words alone",
  ),
  SVC_EMBEDDINGS_SIMILARITY: setting(
    share.default(0.65),
    "Embeddings",
    "The least similarity of two turns that mean the same, above 0 and up to 1. Unrelated texts have 0 and equal texts 1, whatever the model. See [groups by meaning](groups.md#groups-by-meaning).",
  ),
  SVC_TTS_BASE_URL: setting(
    address.optional(),
    "Speech",
    "An endpoint of the OpenAI audio API that speaks for personas with the provider `openai`, such as a local server.",
    "OpenAI",
  ),
  SVC_TTS_API_KEY: setting(text.optional(), "Speech", "The API key for `SVC_TTS_BASE_URL`.", "no key"),
  SVC_STT_BASE_URL: setting(
    address.optional(),
    "Speech",
    "An endpoint of the OpenAI audio API that writes down speech.",
    "OpenAI",
  ),
  SVC_STT_API_KEY: setting(text.optional(), "Speech", "The API key for `SVC_STT_BASE_URL`.", "no key"),
  SVC_STT_MODEL: setting(
    text.optional(),
    "Speech",
    "The speech recognition model for personas without one. Needs `SVC_STT_BASE_URL`.",
    "only personas with a model hear",
  ),
  SVC_AUTH_SECRET: setting(
    keyMaterial.optional(),
    "Secrets",
    `Signs session cookies; at least ${KEY_CHARACTERS_MIN} characters.`,
    "made at the first start and kept in the data folder, mode 0600",
  ),
  SVC_ENCRYPTION_KEY: setting(
    keyList.optional(),
    "Secrets",
    `Seals the keys of other services; at least ${KEY_CHARACTERS_MIN} characters. Several keys with commas, the newest first.`,
    "made at the first start and kept in the data folder, mode 0600",
  ),
  SVC_INIT_ADMIN: setting(
    firstAdmin.optional(),
    "First start",
    "The first admin, as `email:password`. Any setting of this group claims an unclaimed service at its start, without a person.",
    "`admin@svc.local` with a random password",
  ),
  SVC_INIT_API_KEYS: setting(
    firstKeys.optional(),
    "First start",
    "The first API keys: `organization:` or `project:`, then `svc_sk_` and 43 base64url characters. Several keys with commas. These keys may do everything, but only a key of the project may send spans. `ingest:`, `read:`, `test:` and `write:` make keys of the project with fewer permissions: give workers an `ingest:` key. A later start adds keys that are missing.",
    "no key",
  ),
  LOG_FORMAT: setting(
    z.enum(["auto", "json", "text"], "use auto, json or text").default("auto"),
    "Log",
    "`json` writes a JSON object a line, and `text` writes lines for people. `auto` writes text to a terminal, else JSON.",
  ),
  LOG_LEVEL: setting(
    z.enum(LOG_LEVELS, `use ${LOG_LEVELS.join(", ")}`).default("info"),
    "Log",
    "The least important level that the log contains.",
  ),
});

export const keySetting = (provider: string): string => `SVC_${provider.toUpperCase()}_API_KEY`;
export const regionSetting = (provider: string): string => `SVC_${provider.toUpperCase()}_REGION`;

const providerKey = z
  .string()
  .trim()
  .min(LIMITS.providerKeyCharactersMin, `use at least ${LIMITS.providerKeyCharactersMin} characters`)
  .regex(VISIBLE_ASCII, "use visible ASCII characters, without spaces")
  .optional();
const region = z.string().trim().regex(REGION_PATTERN, "use a region's name, such as westeurope").optional();

export const ProviderSettings = z.object(
  Object.fromEntries(
    Object.entries(KEY_PROVIDERS).flatMap(([provider, { regional }]) => [
      [
        keySetting(provider),
        setting(providerKey, "Speech", `A key of ${provider} for organizations without one.`, "no key"),
      ],
      ...(regional ? [[regionSetting(provider), setting(region, "Speech", "The region of that key.", "no key")]] : []),
    ]),
  ) as Record<string, typeof providerKey>,
);
