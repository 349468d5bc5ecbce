import { describe, expect, test } from "vitest";
import { readConfig } from "../packages/server/src/config.ts";

describe("the settings", () => {
  test("are all optional, and have the interface's defaults", () => {
    expect(readConfig({})).toEqual({
      port: 3100,
      host: "127.0.0.1",
      baseUrl: undefined,
      dataDir: "./svc-data",
      rateLimitPerMinute: 600,
      retentionDays: undefined,
      authSecret: undefined,
      platformABaseUrl: "https://api.retellai.com",
      openSignUp: false,
      trustProxy: false,
      logLevel: "info",
      firstStart: {
        organization: undefined,
        project: undefined,
        adminEmail: undefined,
        adminPassword: undefined,
        apiKey: undefined,
        projectApiKey: undefined,
      },
    });
  });

  test("that are empty or blank count as not given", () => {
    expect(
      readConfig({ PORT: " ", SVC_HOST: "  ", SVC_BASE_URL: "", SVC_OPEN_SIGNUP: "", SVC_INIT_API_KEY: "" }),
    ).toEqual(readConfig({}));
  });

  test("lose the slash at the end of the public address", () => {
    expect(readConfig({ SVC_BASE_URL: "https://voice.acme.test//" }).baseUrl).toBe("https://voice.acme.test");
  });

  test("that it does not know are left alone", () => {
    expect(readConfig({ PATH: "/usr/bin", SVC_FUTURE: "1" })).toEqual(readConfig({}));
  });

  const secret = "svc_sk_much-too-short-for-a-key";
  test.each([
    ["PORT", "65536"],
    ["PORT", "http"],
    ["PORT", "31.5"],
    ["SVC_BASE_URL", "voice.acme.test"],
    ["SVC_BASE_URL", "ftp://voice.acme.test"],
    ["SVC_PLATFORM_A_BASE_URL", "api.retellai.com"],
    ["SVC_RATE_LIMIT_PER_MINUTE", "0"],
    ["SVC_RATE_LIMIT_PER_MINUTE", "many"],
    ["SVC_RETENTION_DAYS", "-1"],
    ["SVC_AUTH_SECRET", "short"],
    ["SVC_OPEN_SIGNUP", "yes"],
    ["SVC_TRUST_PROXY", "1"],
    ["SVC_INIT_ADMIN_EMAIL", "admin"],
    ["SVC_INIT_ADMIN_PASSWORD", "short"],
    ["SVC_INIT_API_KEY", secret],
    ["SVC_INIT_PROJECT_API_KEY", secret],
    ["LOG_LEVEL", "loud"],
  ])("stop the start when %s is %j, by name, with the mend and without the value of a secret", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`change or unset them:\\n  ${name}: \\S`));
    expect(() => readConfig({ [name]: value })).not.toThrow(secret);
  });

  test("that are malformed are all named at once", () => {
    expect(() => readConfig({ PORT: "x", LOG_LEVEL: "loud" })).toThrow(/PORT: [^]*LOG_LEVEL: /);
  });
});
