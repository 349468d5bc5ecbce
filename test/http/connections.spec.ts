import { ACCESS_VARIANTS, type AccessVariant, type ConnectionType } from "@svc/contract";
import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonOf, send } from "../support/request.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { aConnection, freshName } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const newAgent = async () => (await server.client.agents.register({ name: freshName("agent") })).agent;
const add = async (more: object = {}, agentId?: string) =>
  (
    await server.client.connections.create({
      ...aConnection(),
      ...more,
      agentId: agentId ?? (await newAgent()).id,
    })
  ).connection;
const ids = ({ agentId, id }: { agentId: string; id: string }) => ({ agentId, connectionId: id });

type Row = {
  modalities: string[];
  topology: string;
  config: Record<string, string>;
  optional?: Record<string, string>;
  credential?: Record<string, unknown>;
  optionalSecrets?: string[];
  hint?: string;
};

const platformA = { config: { platformAAgentId: "agent_9" }, credential: { apiKey: "key_abcdefgh" }, hint: "efgh" };
const room = { modalities: ["voice", "chat"], topology: "agent-dials-out" };
const audio = { url: "wss://agent.example.test/media", codec: "mulaw_8k" };
const sip = { uri: "sip:agent@sip.example.test" };
const chat = { url: "https://agent.example.test/chat", format: "openai" };

/** The expected facts of each access variant, written independently of the contract's table. */
const ROWS: Record<AccessVariant, Row> = {
  "platform_a_chat_api.api_key": { modalities: ["chat"], topology: "hosted-broker", ...platformA },
  "platform_a_web_call.api_key": { modalities: ["voice"], topology: "hosted-broker", ...platformA },
  "platform_b_room.project_credentials": {
    ...room,
    config: { url: "wss://media.example.test" },
    optional: { agentName: "front-desk", metadata: '{"clinic": 7}', line: "satellite" },
    credential: { apiKey: "APIabcdefgh", apiSecret: "s3cr3t-s3cr3t" },
    hint: "efgh",
  },
  "platform_b_room.customer_token_endpoint": {
    ...room,
    config: { url: "wss://media.example.test", tokenEndpoint: "https://tokens.example.test/room" },
    optional: { line: "bad-wifi" },
    credential: { headers: { Authorization: "Bearer 0123456789", "X-Tenant": "acme" } },
    hint: "6789",
  },
  "phone_number.public_e164": {
    modalities: ["voice"],
    topology: "svc-dials-in",
    config: { phoneNumber: "+4915112345678" },
    optional: { trunk: "Carrier", line: "good" },
  },
  "incoming_call.digest": {
    modalities: ["voice"],
    topology: "agent-dials-out",
    config: { account: "sip:1001@pbx.example.test", callers: "+4930*, agent" },
    optional: {
      number: "+493012345678",
      outboundProxy: "sip:proxy.example.test",
      transport: "tls",
      matching: "header",
      waitSeconds: "120",
      dialUrl: "https://agent.example.test/call",
      line: "mobile",
    },
    credential: { password: "s3cr3t-s3cr3t", user: "1001" },
    optionalSecrets: ["dialKey"],
    hint: "cr3t",
  },
  "incoming_call.public": {
    modalities: ["voice"],
    topology: "agent-dials-out",
    config: { account: "sip:1001@pbx.example.test", callers: "*" },
    optional: {
      number: "sip:reminders@pbx.example.test",
      outboundProxy: "sip:proxy.example.test",
      transport: "tcp",
      matching: "account",
      waitSeconds: "30",
      dialUrl: "http://agent.example.test/call",
      line: "good",
    },
  },
  "platform_b_console.process": {
    modalities: ["chat"],
    topology: "agent-dials-out",
    config: { command: "node agent.js console" },
  },
  "http_chat.public": { modalities: ["chat"], topology: "svc-dials-in", config: chat, optional: { model: "m-1" } },
  "http_chat.bearer": {
    modalities: ["chat"],
    topology: "svc-dials-in",
    config: { ...chat, format: "svc" },
    optional: { model: "m-1" },
    credential: { apiKey: "12345678" },
    hint: "5678",
  },
  "websocket_audio.public": {
    modalities: ["voice"],
    topology: "svc-dials-in",
    config: audio,
    optional: { line: "speakerphone" },
  },
  "websocket_audio.bearer": {
    modalities: ["voice"],
    topology: "svc-dials-in",
    config: { ...audio, codec: "pcm_16k" },
    optional: { line: "mobile" },
    credential: { apiKey: "12345678" },
    hint: "5678",
  },
  "sip.public": {
    modalities: ["voice"],
    topology: "svc-dials-in",
    config: sip,
    optional: {
      outboundProxy: "sip:proxy.example.test:5070",
      transport: "tls",
      account: "sip:1001@pbx.example.test",
      line: "mobile",
    },
  },
  "sip.digest": {
    modalities: ["voice"],
    topology: "svc-dials-in",
    config: sip,
    optional: {
      outboundProxy: "sip:proxy.example.test:5070",
      transport: "tls",
      account: "sip:1001@pbx.example.test",
      line: "mobile",
    },
    credential: { password: "s3cr3t-s3cr3t", user: "s" },
    hint: "cr3t",
  },
  "sample_agent.built_in": { modalities: ["chat"], topology: "svc-dials-in", config: {} },
};

/** A user name may be short, but keys and passwords may not. */
const minCharactersOf = (name: string) => (name === "user" ? 1 : 8);

const CASES = (Object.entries(ROWS) as [AccessVariant, Row][]).map(([variant, row]) => {
  const connectionType = variant.split(".")[0] as ConnectionType;
  return {
    variant,
    row,
    body: { connectionType, accessVariant: variant, ...(row.credential && { credential: row.credential }) },
  };
});

describe.each(CASES)("$variant", ({ variant, row, body }) => {
  test("a connection is stored in each of its modalities and read back without its secrets", async () => {
    const agent = await newAgent();
    for (const [config, modality] of [
      [row.config, undefined],
      ...row.modalities.map((one) => [{ ...row.config, ...row.optional }, one] as const),
    ] as const) {
      const sent = { ...body, config, ...(modality && { modality: modality as "voice" }) };
      const { connection } = await server.client.connections.create({ agentId: agent.id, ...sent });
      expect(connection).toMatchObject({
        agentId: agent.id,
        projectId: server.project.id,
        connectionType: body.connectionType,
        accessVariant: variant,
        modality: modality ?? row.modalities[0],
        topology: row.topology,
        environment: "production",
        config,
        credentialPresent: row.credential !== undefined,
        credentialsHint: row.hint ?? null,
        archived: false,
        archivedAt: null,
      });
      expect(connection.name.replace(/ \d+$/, "")).toBe(connection.productLabel);
      expect(connection).not.toHaveProperty("credential");
      expect((await server.client.connections.get(ids(connection))).connection).toEqual(connection);
      expect((await server.client.connections.list({ agentId: agent.id })).connections[0]).toEqual(connection);
    }
  });

  test("an edit that moves an address to another host needs the credential again", async () => {
    const config = { ...row.config, ...row.optional };
    const made = await add({ ...body, config, credential: row.credential });
    const edit = (change: object) => server.client.connections.edit({ ...ids(made), ...change });
    if (row.credential && "transport" in config)
      await expect(edit({ config: { ...config, transport: "udp" } })).rejects.toMatchObject({ code: "unprocessable" });
    for (const [name, address] of Object.entries(config).filter(([, value]) => /^[a-z]+:/.test(value))) {
      const sameHost = address.startsWith("sip:") ? address.replace(/^sip:\w+@/, "sip:other@") : `${address}/other?a=b`;
      expect((await edit({ config: { ...config, [name]: sameHost } })).connection.config[name]).toBe(sameHost);
      for (const moved of [address.replace("example", "elsewhere"), address.replace(/\.test(:\d+)?/, ".test:6000")]) {
        const change = { config: { ...config, [name]: moved } };
        if (row.credential)
          await expect(edit(change)).rejects.toMatchObject({
            code: "unprocessable",
            details: { issues: Object.keys(row.credential).map((field) => ({ path: `credential.${field}` })) },
          });
        const again = await edit({ ...change, ...(row.credential && { credential: row.credential }) });
        expect(again.connection.config[name]).toBe(moved);
        await edit({ config, ...(row.credential && { credential: row.credential }) });
      }
    }
  });

  const refused = async (change: object) => {
    const agentId = (await newAgent()).id;
    const json = { ...body, config: row.config, ...change };
    const reply = await send(server.url, {
      method: "POST",
      path: `/v1/agents/${agentId}/connections`,
      key: server.projectKey,
      json,
    });
    const { details } = jsonOf<{ details: { issues: { path: string }[] } }>(reply);
    return [reply.status, details.issues.map(({ path }) => path)];
  };

  test("a connection is refused with the path of each member that is missing, unknown or not text", async () => {
    for (const name of Object.keys(row.config)) {
      const { [name]: _, ...rest } = row.config;
      expect(await refused({ config: rest })).toEqual([422, [`config.${name}`]]);
      for (const value of [7, null, " ", ["x"]])
        expect(await refused({ config: { ...row.config, [name]: value } })).toEqual([422, [`config.${name}`]]);
    }
    for (const unknown of ["unknown", "__proto__", "constructor"]) {
      const config = Object.defineProperty({ ...row.config }, unknown, { value: "x", enumerable: true });
      expect(await refused({ config })).toEqual([422, ["config"]]);
    }
    expect(await refused({ credential: { ...row.credential, unknown: "x" } })).toEqual([422, ["credential"]]);
    for (const name of Object.keys(row.credential ?? {})) {
      const { [name]: _, ...rest } = row.credential!;
      expect(await refused({ credential: rest })).toEqual([422, [`credential.${name}`]]);
      const tooShort = "1234567".slice(0, minCharactersOf(name) - 1);
      for (const value of [7, null, tooShort, { X: "1234567" }])
        expect((await refused({ credential: { ...rest, [name]: value } }))[0]).toBe(422);
    }
  });
});

test("the connection options list every connection type with its settings and secrets", async () => {
  const { connectionOptions } = await server.client.connectionOptions.list();
  const variants = connectionOptions.flatMap(({ accessVariants }) => accessVariants);
  expect(variants.map(({ accessVariant }) => accessVariant)).toEqual(ACCESS_VARIANTS);
  expect(Object.keys(ROWS)).toEqual(ACCESS_VARIANTS);
  for (const { accessVariant, config, credential } of variants) {
    const row = ROWS[accessVariant as AccessVariant];
    const names = (required: boolean) => config.filter((field) => field.required === required).map(({ name }) => name);
    expect(names(true)).toEqual(Object.keys(row.config));
    expect(names(false)).toEqual(Object.keys(row.optional ?? {}));
    expect(credential.map(({ name, required, minCharacters }) => [name, required, minCharacters])).toEqual(
      [...Object.keys(row.credential ?? {}), ...(row.optionalSecrets ?? [])].map((name, at) => [
        name,
        at < Object.keys(row.credential ?? {}).length,
        minCharactersOf(name),
      ]),
    );
  }
  for (const option of connectionOptions) {
    const rows = CASES.filter(({ body }) => body.connectionType === option.connectionType).map(({ row }) => row);
    for (const row of rows) expect([option.modalities, option.topology]).toEqual([row.modalities, row.topology]);
  }
});

describe("editing", () => {
  test("an edit changes only the members in the request, and replaces config and credential as a whole", async () => {
    const made = await add({ config: { ...chat, model: "m-1" } });
    const edit = (change: object) => server.client.connections.edit({ ...ids(made), ...change });
    const named = (await edit({ name: " Staging ", environment: "staging" })).connection;
    expect(named).toEqual({
      ...made,
      name: "Staging",
      environment: "staging",
      updatedAt: named.updatedAt,
      revision: 2,
    });
    const config = { url: `${chat.url}/v2`, format: "svc" };
    const replaced = (await edit({ config })).connection;
    expect(replaced).toEqual({ ...named, config, updatedAt: replaced.updatedAt, revision: 3 });
    const rotated = (await edit({ credential: { apiKey: "another-key-9999" } })).connection;
    expect(rotated).toEqual({ ...replaced, credentialsHint: "9999", updatedAt: rotated.updatedAt, revision: 4 });
    expect((await edit({})).connection).toEqual(rotated);
    for (const change of [{ config: { url: config.url } }, { credential: {} }])
      await expect(edit(change)).rejects.toMatchObject({ code: "unprocessable" });
    expect((await server.client.connections.get(ids(made))).connection).toEqual(rotated);
  });
});

describe("archiving and restoring", () => {
  test("a restored connection has the same credential as before its archiving", async () => {
    const made = await add();
    const archived = (await server.client.connections.archive(ids(made))).connection;
    const { archivedAt } = archived;
    expect(archived).toEqual({ ...made, archived: true, archivedAt, updatedAt: archivedAt, revision: 2 });
    expect((await server.client.connections.archive(ids(made))).connection).toEqual(archived);
    expect((await server.client.connections.list(ids(made))).connections).toEqual([]);
    expect((await server.client.connections.list({ ...ids(made), archived: true })).connections).toEqual([archived]);
    const restored = (await server.client.connections.restore(ids(made))).connection;
    expect(restored).toEqual({ ...made, updatedAt: restored.updatedAt, revision: 3 });
    expect((await server.client.connections.restore(ids(made))).connection).toEqual(restored);
  });

  test("a restore is refused while the agent is archived", async () => {
    const made = await add();
    await server.client.agents.archive({ agentId: made.agentId });
    const restore = () => server.client.connections.restore(ids(made));
    await expect(restore()).rejects.toMatchObject({
      code: "parent_agent_archived",
      details: { agentId: made.agentId },
      message: expect.stringContaining(`/v1/agents/${made.agentId}/restore`),
    });
    await server.client.agents.restore({ agentId: made.agentId });
    expect((await restore()).connection).toMatchObject({ id: made.id, archived: false, credentialsHint: "1234" });
  });
});

test("a connection is found under its own agent only", async () => {
  const [made, other] = [await add(), await newAgent()];
  const elsewhere = { agentId: other.id, connectionId: made.id };
  for (const call of ["get", "archive", "restore"] as const)
    await expect(server.client.connections[call](elsewhere)).rejects.toMatchObject({ code: "not_found" });
});

test("the pages of a list contain every connection once, newest first", async () => {
  const agentId = (await newAgent()).id;
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.unshift((await add({}, agentId)).id);
  const seen: string[] = [];
  const listed = pages(server.client.connections.list, { agentId, pageSize: 2 });
  for await (const { id } of listed) seen.push(id);
  expect(seen).toEqual(made);
});
