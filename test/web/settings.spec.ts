import { workerVariables } from "@svc/contract/constants";
import { describe, expect, test } from "vitest";
import {
  type ApiKey,
  choicesOf,
  commandLines,
  isExpired,
  keyName,
  permissionsOf,
  reachOf,
} from "../../packages/web/src/settings/key-reach.ts";
import {
  filterWords,
  inputOf,
  placeOf,
  readAuditSearch,
  wayOf,
  whoOf,
} from "../../packages/web/src/settings/audit-search.ts";
import { PROVIDERS } from "../../packages/web/src/settings/provider-keys.tsx";
import { resealWords } from "../../packages/web/src/settings/organization.tsx";

const KEY: ApiKey = {
  id: "key_1",
  name: null,
  scope: "project",
  organization_id: "org_1",
  project_id: "prj_1",
  looks_like: "svc_sk_…x9Qk",
  permissions: ["admin"],
  created_by_user_id: "usr_1",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  last_used_address: null,
  revoked_at: null,
};

describe("a key", () => {
  test("a key without a name is named by the end of its secret", () => {
    expect(keyName(KEY)).toBe("svc_sk_…x9Qk");
    expect(keyName({ ...KEY, name: "worker" })).toBe("worker");
  });

  test("what a key may do is in words, and a new key offers what the role and the reach allow", () => {
    expect(permissionsOf({ permissions: ["ingest", "test"] })).toBe("Send conversations, Run tests");
    expect(choicesOf("member", true)).toEqual(["ingest", "read", "test", "write", "admin"]);
    expect(choicesOf("admin", false)).toEqual(["read", "test", "write", "admin"]);
    expect(choicesOf("viewer", true)).toEqual(["read", "admin"]);
  });

  test("a key is over from its end on", () => {
    const end = Date.parse("2026-03-01T00:00:00Z");
    const key = { expires_at: new Date(end).toISOString() };
    expect([isExpired(key, end - 1), isExpired(key, end), isExpired({ expires_at: null }, end)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("a key's row names the project in which the key works, or the organization", () => {
    expect(reachOf(KEY, [{ id: "prj_1", name: "Front desk" }])).toBe("Front desk");
    expect(reachOf(KEY, [])).toBe("A project that is not visible");
    expect(reachOf({ ...KEY, scope: "organization", project_id: null }, [])).toBe("Organization");
  });

  test("the lines to paste hold the address and the secret", () => {
    expect(workerVariables("otlp", "https://svc.example", "svc_sk_1")).toBe(
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://svc.example/v1/traces\nOTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer svc_sk_1"',
    );
    expect(commandLines("https://svc.example", "svc_sk_1")).toBe(
      "export SVC_URL=https://svc.example\nexport SVC_API_KEY=svc_sk_1",
    );
  });
});

describe("a new seal in words", () => {
  test.each([
    [{ resealed: 0, current: 0, unreadable: 0 }, "The organization has no credential."],
    [{ resealed: 1, current: 0, unreadable: 0 }, "The newest key now seals 1 credential more."],
    [
      { resealed: 2, current: 3, unreadable: 1 },
      "The newest key now seals 2 credentials more. It sealed 3 credentials already. No configured key opens 1 credential: add the key that sealed them, or enter them again.",
    ],
  ])("the sentence about a new seal counts the credentials: %j", (result, words) => {
    expect(resealWords(result)).toBe(words);
  });
});

test("every provider whose key the service stores has a name for people", () => {
  expect(PROVIDERS.length).toBeGreaterThan(5);
  expect(PROVIDERS.filter(({ name }) => name === undefined)).toEqual([]);
});

describe("the audit", () => {
  test("the address of the list has the filters, and unknown ones are left out", () => {
    const search = readAuditSearch({
      actor: "a@b.test",
      outcome: "refused",
      fromDay: "2026-11-24",
      toDay: "x",
      other: 1,
    });
    expect(search).toEqual({ actor: "a@b.test", outcome: "refused", fromDay: "2026-11-24" });
    expect(filterWords(search)).toEqual(["who a@b.test", "outcome refused", "since 2026-11-24"]);
    expect(inputOf({ fromDay: "2026-11-24", toDay: "2026-11-24" })).toEqual({
      from: new Date(2026, 10, 24).toISOString(),
      to: new Date(2026, 10, 25).toISOString(),
    });
  });

  test("a line leads to the page of its resource, unless it deleted that", () => {
    const projects = [{ id: "prj_1", slug: "front-desk" }];
    const at = (kind: string, operation = "x.edit", projectId: string | null = "prj_1") =>
      placeOf({ resource: { kind, id: "id_1" }, projectId, operation }, "org_1", projects);
    expect(at("test")).toBe("/o/org_1/p/front-desk/tests/id_1");
    expect(at("trace", "recordings.audioOfConversation")).toBe("/o/org_1/p/front-desk/conversations/id_1");
    expect(at("API key", "keys.revoke", null)).toBe("/o/org_1/settings/keys");
    expect([at("test", "tests.delete"), at("test", "x.edit", "prj_2"), at("mock tool")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(placeOf({ resource: null, projectId: null, operation: "keys.list" }, "org_1", projects)).toBeUndefined();
  });

  test("who acted is in words", () => {
    const actor = { userId: "usr_1", email: "a@b.test", sessionId: null, key: null };
    const key = { id: "key_1", name: null, looksLike: "svc_sk_…x9Qk" };
    expect([whoOf({ ...actor, via: "none" }), wayOf({ ...actor, via: "none" })]).toEqual(["a@b.test", "not signed in"]);
    expect(wayOf({ ...actor, via: "key", key })).toBe("key svc_sk_…x9Qk");
    expect(whoOf({ ...actor, via: "operator", email: null })).toBe("Operator");
  });
});
