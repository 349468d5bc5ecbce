import { LIMITS } from "@svc/contract";
import { z } from "zod";

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");
const count = z.coerce.number().int().min(1);
const text = z.string().trim().min(1);
const keyMaterial = z.string().min(32, "use at least 32 characters");

const Settings = z.object({
  PORT: port(3100),
  SVC_HOST: text.default("127.0.0.1"),
  SVC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  SVC_DATA_DIR: text.default("./svc-data"),
  SVC_RATE_LIMIT_PER_MINUTE: count.default(LIMITS.requestsPerMinute),
  SVC_RETENTION_DAYS: count.optional(),
  SVC_AUTH_SECRET: keyMaterial.optional(),
  SVC_ENCRYPTION_KEY: z
    .string()
    .refine((text) => text.split(",").every((key) => key.trim().length >= 32), {
      error: "use at least 32 characters for each key; list several with commas, the newest first",
    })
    .optional(),
  SVC_OPEN_SIGNUP: flag,
  SVC_TRUST_PROXY: flag,
  SVC_PLATFORM_A_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.retellai.com"),
  SVC_INIT_ORGANIZATION: text.optional(),
  SVC_INIT_PROJECT: text.optional(),
  SVC_INIT_ADMIN_EMAIL: z.email().optional(),
  SVC_INIT_ADMIN_PASSWORD: z.string().min(LIMITS.passwordCharactersMin).max(LIMITS.passwordCharactersMax).optional(),
  SVC_INIT_API_KEY: z
    .string()
    .regex(/^svc_sk_[A-Za-z0-9_-]{43}$/, "use svc_sk_ and 43 base64url characters")
    .optional(),
  SVC_INIT_PROJECT_API_KEY: z
    .string()
    .regex(/^svc_sk_[A-Za-z0-9_-]{43}$/, "use svc_sk_ and 43 base64url characters")
    .optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

export type Config = {
  port: number;
  host: string;
  /** The public address, when it is not the listening one. */
  baseUrl: string | undefined;
  dataDir: string;
  rateLimitPerMinute: number;
  retentionDays: number | undefined;
  authSecret: string | undefined;
  /** Keys that seal credentials, with commas, the newest first. */
  encryptionKey: string | undefined;
  /** Where platform_a is asked. */
  platformABaseUrl: string;
  openSignUp: boolean;
  trustProxy: boolean;
  logLevel: string;
  firstStart: FirstStart;
};

/** What a headless first start makes; each part is optional. */
export type FirstStart = {
  organization: string | undefined;
  project: string | undefined;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  apiKey: string | undefined;
  projectApiKey: string | undefined;
};

/** Reads the settings; throws one message that names every malformed one and its mend. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ""));
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The service cannot start with these settings; change or unset them:\n${faults.join("\n")}`);
  }
  const settings = parsed.data;
  return {
    port: settings.PORT,
    host: settings.SVC_HOST,
    baseUrl: settings.SVC_BASE_URL?.replace(/\/+$/, ""),
    dataDir: settings.SVC_DATA_DIR,
    rateLimitPerMinute: settings.SVC_RATE_LIMIT_PER_MINUTE,
    retentionDays: settings.SVC_RETENTION_DAYS,
    authSecret: settings.SVC_AUTH_SECRET,
    encryptionKey: settings.SVC_ENCRYPTION_KEY,
    platformABaseUrl: settings.SVC_PLATFORM_A_BASE_URL.replace(/\/+$/, ""),
    openSignUp: settings.SVC_OPEN_SIGNUP,
    trustProxy: settings.SVC_TRUST_PROXY,
    logLevel: settings.LOG_LEVEL,
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
