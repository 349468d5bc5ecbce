import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { readConfig, unknownSettings } from "../packages/server/src/base/config/config.ts";

const secret = "svc_sk_much-too-short-for-a-key";
const KEY = `svc_sk_${"A".repeat(43)}`;

describe("the settings", () => {
  test("every setting is optional and has the interface's default", () => {
    expect(readConfig({})).toEqual({
      port: 3100,
      webPort: 3101,
      host: "127.0.0.1",
      baseUrl: undefined,
      dataDir: "./svc-data",
      rateLimitPerMinute: 600,
      retentionDays: undefined,
      auditRetentionDays: 365,
      authSecret: undefined,
      platformABaseUrl: "https://api.retellai.com",
      platformARoomUrl: "https://retell-ai-4ihahnq7.livekit.cloud",
      callsAtOnce: 4 * availableParallelism(),
      openSignUp: false,
      outboundPrivate: true,
      trustProxy: false,
      corsOrigins: new Set(),
      providerKeys: {},
      logLevel: "info",
      logFormat: "auto",
      languageModel: undefined,
      embeddings: undefined,
      speech: { tts: undefined, stt: undefined, sttModel: undefined },
      firstStart: { admin: undefined, keys: undefined },
    });
  });

  test("origins are read in the form in which browsers send them", () => {
    const list = " https://App.Example.com/, http://localhost:5173,https://app.example.com:443 ,";
    expect(readConfig({ SVC_CORS_ORIGINS: list }).corsOrigins).toEqual(
      new Set(["https://app.example.com", "http://localhost:5173"]),
    );
  });

  test.each([
    "*",
    "https://*.example.com",
    "app.example.com",
    "https://app.example.com/page",
    "https://a:secret@app.example.com",
    "https://app.example.com?x",
    "null",
    "ftp://app.example.com",
    "http://a.test,b.test",
  ])("the origins %s are refused, and the message says what to write", (list) => {
    expect(() => readConfig({ SVC_CORS_ORIGINS: list })).toThrow(/SVC_CORS_ORIGINS: use exact origins, such as https/);
    expect(() => readConfig({ SVC_CORS_ORIGINS: list })).not.toThrow("secret");
  });

  test.each(["999.1.1.1", "my host", "http://0.0.0.0", "0.0.0.0:3100"])(
    "the address to listen on %s is refused with an example",
    (host) => {
      expect(() => readConfig({ SVC_HOST: host })).toThrow(
        "SVC_HOST: use an address of this machine, such as 127.0.0.1",
      );
    },
  );

  test.each(["0.0.0.0", "::", "::1", "localhost", "svc.internal"])("the address to listen on %s is read", (host) => {
    expect(readConfig({ SVC_HOST: host }).host).toBe(host);
  });

  const databases = {
    SVC_DATABASE_URL: "postgresql://svc:secret@db.acme.test/svc",
    SVC_CLICKHOUSE_URL: "https://svc:secret@clickhouse.acme.test:8443/svc",
  };
  const secrets = { SVC_AUTH_SECRET: "a".repeat(44), SVC_ENCRYPTION_KEY: "b".repeat(44) };
  const bucket = {
    SVC_S3_ENDPOINT: "https://s3.acme.test",
    SVC_S3_BUCKET: "recordings",
    SVC_S3_ACCESS_KEY_ID: "svc",
    SVC_S3_SECRET_ACCESS_KEY: "secret",
  };

  test("two databases replace the data folder", () => {
    expect(readConfig({}).databases).toBeUndefined();
    const addresses = { databaseUrl: databases.SVC_DATABASE_URL, clickHouseUrl: databases.SVC_CLICKHOUSE_URL };
    const settings = { ...databases, ...secrets, ...bucket };
    expect(readConfig(settings).databases).toEqual({ ...addresses, hasFolder: false });
    expect(readConfig({ ...settings, SVC_DATA_DIR: "/data" }).databases).toEqual({ ...addresses, hasFolder: true });
  });

  test.each(Object.keys(databases))("databases without %s are refused with both names", (setting) => {
    expect(() => readConfig({ ...databases, [setting]: undefined, ...secrets, ...bucket })).toThrow(
      `${setting}: set SVC_DATABASE_URL, SVC_CLICKHOUSE_URL together, or none of them: the first database holds the records, and the second one the spans of conversations`,
    );
  });

  test.each(Object.keys(secrets))("databases without %s are refused with the way to make one", (setting) => {
    expect(() => readConfig({ ...databases, ...secrets, ...bucket, [setting]: "" })).toThrow(
      `${setting}: set the same value for every process on these databases; \`openssl rand -base64 33\` prints one`,
    );
  });

  test("databases without an object store for recordings are refused", () => {
    expect(() => readConfig({ ...databases, ...secrets })).toThrow(
      "SVC_S3_ENDPOINT: set SVC_S3_ENDPOINT, SVC_S3_BUCKET, SVC_S3_ACCESS_KEY_ID, SVC_S3_SECRET_ACCESS_KEY too: no process with databases keeps recordings on its disk",
    );
  });

  test.each([
    ["SVC_DATABASE_URL", "mysql://db.acme.test/svc", "postgresql://user:password@db.example.com:5432/svc"],
    [
      "SVC_CLICKHOUSE_URL",
      "tcp://clickhouse.acme.test:9000/svc",
      "http://user:password@clickhouse.example.com:8123/svc",
    ],
  ])("%s of another kind is refused with an example", (setting, url, example) => {
    expect(() => readConfig({ ...databases, ...secrets, ...bucket, [setting]: url })).toThrow(example);
  });

  test("an embedding model has an address and a name, and a limit of its own or the default", () => {
    const given = { SVC_EMBEDDINGS_BASE_URL: "https://models.acme.test/v1/", SVC_EMBEDDINGS_MODEL: "vectors-1" };
    const read = { baseUrl: "https://models.acme.test/v1", model: "vectors-1", apiKey: undefined, similarity: 0.65 };
    expect(readConfig(given).embeddings).toEqual(read);
    const more = { ...given, SVC_EMBEDDINGS_API_KEY: "key", SVC_EMBEDDINGS_SIMILARITY: "0.9" };
    expect(readConfig(more).embeddings).toEqual({ ...read, apiKey: "key", similarity: 0.9 });
    for (const SVC_EMBEDDINGS_SIMILARITY of ["0", "1.1", "-1", "much", "NaN"])
      expect(() => readConfig({ ...given, SVC_EMBEDDINGS_SIMILARITY })).toThrow(
        "SVC_EMBEDDINGS_SIMILARITY: use a number above 0, up to 1",
      );
    expect(() => readConfig({ SVC_EMBEDDINGS_MODEL: "vectors-1" })).toThrow(
      "SVC_EMBEDDINGS_BASE_URL: set SVC_EMBEDDINGS_BASE_URL, SVC_EMBEDDINGS_MODEL together",
    );
    for (const name of ["SVC_EMBEDDINGS_API_KEY", "SVC_EMBEDDINGS_SIMILARITY"])
      expect(() => readConfig({ [name]: "0.9" })).toThrow(`${name}: set SVC_EMBEDDINGS_BASE_URL too`);
  });

  test("an empty or blank setting counts as missing", () => {
    expect(
      readConfig({ PORT: " ", SVC_HOST: "  ", SVC_BASE_URL: "", SVC_OPEN_SIGNUP: "", SVC_INIT_API_KEYS: "" }),
    ).toEqual(readConfig({}));
  });

  test("the public address loses its trailing slash", () => {
    expect(readConfig({ SVC_BASE_URL: "https://voice.acme.test//" }).baseUrl).toBe("https://voice.acme.test");
  });

  const model = { SVC_LLM_BASE_URL: "https://models.test/v1/", SVC_LLM_API_KEY: "key", SVC_LLM_MODEL: "small" };

  test("three settings together name a language model", () => {
    const read = { baseUrl: "https://models.test/v1", apiKey: "key", model: "small" };
    expect(readConfig(model).languageModel).toEqual(read);
  });

  const s3 = {
    SVC_S3_ENDPOINT: "https://objects.acme.test/",
    SVC_S3_BUCKET: "recordings",
    SVC_S3_ACCESS_KEY_ID: "id",
    SVC_S3_SECRET_ACCESS_KEY: "secret",
  };

  test("four settings together name the object store of recordings, in a region", () => {
    const read = {
      endpoint: "https://objects.acme.test",
      bucket: "recordings",
      accessKeyId: "id",
      secretAccessKey: "secret",
    };
    expect(readConfig(s3).recordingStore).toEqual({ ...read, region: "us-east-1" });
    expect(readConfig({ ...s3, SVC_S3_REGION: "eu-west-1" }).recordingStore).toEqual({ ...read, region: "eu-west-1" });
  });

  test.each(Object.keys(s3))("an object store without %s stops the start", (name) => {
    expect(() => readConfig({ ...s3, [name]: undefined })).toThrow(`${name}: set SVC_S3_ENDPOINT`);
  });

  test("endpoints of the OpenAI audio API take OpenAI's place, with or without a key", () => {
    const settings = { SVC_TTS_BASE_URL: "http://127.0.0.1:8880/v1/", SVC_STT_BASE_URL: "http://127.0.0.1:8000/v1" };
    expect(readConfig({ ...settings, SVC_STT_API_KEY: "key", SVC_STT_MODEL: "whisper-1" }).speech).toEqual({
      tts: { baseUrl: "http://127.0.0.1:8880/v1", apiKey: undefined },
      stt: { baseUrl: "http://127.0.0.1:8000/v1", apiKey: "key" },
      sttModel: "whisper-1",
    });
  });

  test.each([
    ["SVC_TTS_API_KEY", "SVC_TTS_BASE_URL"],
    ["SVC_STT_API_KEY", "SVC_STT_BASE_URL"],
    ["SVC_STT_MODEL", "SVC_STT_BASE_URL"],
  ])("%s without %s is refused", (name, needed) => {
    expect(() => readConfig({ [name]: "text" })).toThrow(`${name}: set ${needed} too`);
  });

  test("prices per million tokens belong to the language model", () => {
    const prices = { SVC_LLM_PRICE_INPUT: "2.5", SVC_LLM_PRICE_OUTPUT: "10" };
    expect(readConfig({ ...model, ...prices }).languageModel?.prices).toEqual({
      input: 2.5,
      output: 10,
    });
  });

  test.each([
    [{ SVC_LLM_PRICE_INPUT: "2" }, "SVC_LLM_PRICE_OUTPUT: set"],
    [{ SVC_LLM_PRICE_OUTPUT: "2" }, "SVC_LLM_PRICE_INPUT: set"],
    [{ SVC_LLM_PRICE_INPUT: "-2", SVC_LLM_PRICE_OUTPUT: "2" }, "SVC_LLM_PRICE_INPUT"],
  ])("the prices %j stop the start with the remedy", (settings, words) => {
    expect(() => readConfig({ ...model, ...settings })).toThrow(words);
  });

  test.each(Object.keys(model))("a language model without %s stops the start", (name) => {
    expect(() => readConfig({ ...model, [name]: undefined })).toThrow(`${name}: set SVC_LLM_BASE_URL`);
  });

  test.each(["abc", "0", "1.5"])("a retention of %j days stops the start with the remedy", (days) => {
    expect(() => readConfig({ SVC_RETENTION_DAYS: days })).toThrow("SVC_RETENTION_DAYS: use a whole number, 1 or more");
  });

  test("the first admin is an address and a password, which may hold colons", () => {
    const admin = { email: "ada@acme.test", password: "a:long:password " };
    expect(readConfig({ SVC_INIT_ADMIN: "ada@acme.test:a:long:password " }).firstStart).toEqual({ admin });
  });

  test.each([
    [`project:${KEY}`, { project: KEY }],
    [`organization:${KEY}`, { organization: KEY }],
    [` organization:${KEY} , project:${KEY} `, { organization: KEY, project: KEY }],
    [`project:${KEY},ingest:${KEY},test:${KEY}`, { project: KEY, ingest: KEY, test: KEY }],
  ])("the first keys %j are read with their scopes", (list, keys) => {
    expect(readConfig({ SVC_INIT_API_KEYS: list }).firstStart).toEqual({ keys });
  });

  test.each([
    ["SVC_INIT_ADMIN_EMAIL", "SVC_INIT_ADMIN=email:password"],
    ["SVC_INIT_ADMIN_PASSWORD", "SVC_INIT_ADMIN=email:password"],
    ["SVC_INIT_API_KEY", "SVC_INIT_API_KEYS=organization:svc_sk_…"],
    ["SVC_INIT_PROJECT_API_KEY", "SVC_INIT_API_KEYS=project:svc_sk_…"],
    ["SVC_INIT_ORGANIZATION", "unset it"],
    ["SVC_INIT_PROJECT", "unset it"],
    ["SVC_LLM_PRICE_CACHED_INPUT", "unset it"],
    ["SVC_SHOW_CREDENTIAL_ATTRIBUTES", "unset it"],
  ])("%s, a setting that is gone, stops the start with what to do", (name, remedy) => {
    expect(() => readConfig({ [name]: secret })).toThrow(`${name}: this setting is gone; `);
    expect(() => readConfig({ [name]: secret })).toThrow(remedy);
    expect(() => readConfig({ [name]: secret })).not.toThrow(secret);
  });

  test("unknown variables are ignored", () => {
    expect(readConfig({ PATH: "/usr/bin", SVC_FUTURE: "1" })).toEqual(readConfig({}));
  });

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
    ["SVC_METRICS_TOKEN", "short"],
    ["SVC_METRICS_TOKEN", "thirty-two characters with spaces in them"],
    ["SVC_METRICS_PORT", "http"],
    ["SVC_ENCRYPTION_KEY", "short"],
    ["SVC_ENCRYPTION_KEY", ","],
    ["SVC_ENCRYPTION_KEY", `${"k".repeat(32)},short`],
    ["SVC_ENCRYPTION_KEY", "words are several keys and the first of them would seal"],
    ["SVC_OPEN_SIGNUP", "yes"],
    ["SVC_TRUST_PROXY", "1"],
    ["SVC_OUTBOUND_PRIVATE", "allow"],
    ["SVC_INIT_ADMIN", "admin:correct horse battery"],
    ["SVC_INIT_ADMIN", "ada@acme.test"],
    ["SVC_INIT_ADMIN", "ada@acme.test:short"],
    ["SVC_INIT_API_KEYS", secret],
    ["SVC_INIT_API_KEYS", `project:${secret}`],
    ["SVC_INIT_API_KEYS", KEY],
    ["SVC_INIT_API_KEYS", `team:${KEY}`],
    ["SVC_INIT_API_KEYS", `admin:${KEY}`],
    ["SVC_INIT_API_KEYS", `project:${KEY},project:${KEY}`],
    ["SVC_INIT_API_KEYS", `project:${KEY},`],
    ["SVC_LLM_BASE_URL", "models.test"],
    ["SVC_S3_ENDPOINT", "s3.acme.test"],
    ["SVC_S3_BUCKET", "a/b"],
    ["LOG_LEVEL", "loud"],
    ["SVC_CARTESIA_API_KEY", "short"],
    ["SVC_HUME_API_KEY", "with a space in it"],
    ["SVC_POLLY_REGION", "evil.test/"],
  ])("%s with the value %j stops the start; the message has the name and the remedy and no secret", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`change or unset them:\\n  ${name}: \\S`));
    expect(() => readConfig({ [name]: value })).not.toThrow(secret);
  });

  test("each speech provider has a key, and a region where the provider has regions", () => {
    const settings = { SVC_LMNT_API_KEY: " a-key-of-lmnt ", SVC_AZURE_API_KEY: "a-key-of-azure" };
    expect(() => readConfig(settings)).toThrow(/SVC_AZURE_REGION: .*Add its region/);
    expect(readConfig({ ...settings, SVC_AZURE_REGION: "westeurope" }).providerKeys).toEqual({
      lmnt: { apiKey: "a-key-of-lmnt" },
      azure: { apiKey: "a-key-of-azure", region: "westeurope" },
    });
    const half = { SVC_POLLY_API_KEY: "half-of-a-pair", SVC_POLLY_REGION: "eu-west-1" };
    expect(() => readConfig(half)).toThrow(/SVC_POLLY_API_KEY: .*joined by a colon/);
    expect(() => readConfig(half)).not.toThrow(half.SVC_POLLY_API_KEY);
  });

  test("one message names all malformed settings", () => {
    expect(() => readConfig({ PORT: "x", LOG_LEVEL: "loud" })).toThrow(/PORT: [^]*LOG_LEVEL: /);
  });
});

describe("the two ports", () => {
  test.each([
    [{ PORT: "4000" }, 4000, 4001],
    [{ PORT: "65535" }, 65_535, 65_535],
    [{ PORT: "0" }, 0, 0],
    [{ PORT: "4000", SVC_WEB_PORT: "4000" }, 4000, 4000],
  ])("the two ports with %j the service listens on %d and %d", (settings, port, webPort) => {
    expect(readConfig(settings)).toMatchObject({ port, webPort });
  });
});

describe("a variable that no program reads", () => {
  const meanings = (environment: Record<string, string>) => unknownSettings(environment).map(({ meaning }) => meaning);

  test.each([
    ["SVC_PROT", " Did you mean PORT?"],
    ["SVC_PORT", " Did you mean PORT?"],
    ["SVC_TRUST_PROXI", " Did you mean SVC_TRUST_PROXY?"],
    ["SVC_RETENTION_DAY", " Did you mean SVC_RETENTION_DAYS?"],
    ["SVC_OPENAI_APIKEY", " Did you mean SVC_OPENAI_API_KEY?"],
    ["SVC_FAVORITE_COLOR", ""],
  ])("%s is named%s", (name, proposal) => {
    expect(meanings({ [name]: "1" })).toEqual([`${name} is no setting of the service, which ignores it.${proposal}`]);
  });

  test("settings of the service, of its clients and of Kubernetes are known", () => {
    expect(meanings({ SVC_HOST: "::", SVC_URL: "x", SVC_API_KEY: "x", SVC_PASSWORD: "x", PATH: "x" })).toEqual([]);
    const kubernetes = {
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      SVC_SERVICE_HOST: "10.0.0.2",
      SVC_PORT: "tcp://10.0.0.2",
    };
    expect(meanings(kubernetes)).toEqual([]);
  });
});
