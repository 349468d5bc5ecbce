import { MASKED_VALUE } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { send } from "../support/request.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const KEY = `sk-proj-${"aB3_".repeat(12)}`;
const OF_SVC = `svc_sk_${"k".repeat(43)}`;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";

/** Attributes whose values are credentials. */
const CREDENTIALS: Record<string, string> = {
  authorization: "Basic dXNlcjpwYXNz",
  "http.request.header.authorization": "Bearer abc",
  "http.request.header.x-api-key": "abc",
  "http.response.header.set-cookie": "sid=1",
  "http.request.header.Cookie": "sid=1",
  api_key: "abc",
  apiKey: "abc",
  "llm.api-key": "abc",
  "db.password": "abc",
  "oauth.client_secret": "abc",
  access_token: "abc",
  refreshToken: "abc",
  "session.note": KEY,
  "model.note": `Bearer ${OF_SVC}`,
  "any.thing": JWT,
  "cloud.note": "AKIAIOSFODNN7EXAMPLE",
};

/** Attributes that are shown: counts, words, arguments and results of tools, and names that only resemble the names of credentials. */
const SHOWN: Record<string, string> = {
  "gen_ai.usage.input_tokens": "120",
  "gen_ai.usage.total_token": "120",
  "gen_ai.request.max_tokens": "50",
  "lk.user_transcript": `My password is hunter2 and my key is ${KEY}`,
  "lk.response.text": OF_SVC,
  "gen_ai.input.messages": `[{"role":"user","content":"Basic cleaning; api_key=${KEY}"}]`,
  "gen_ai.tool.call.arguments": `{"password":"hunter2","token":"${KEY}"}`,
  "lk.function_tool.arguments.password": "hunter2",
  "lk.function_tool.output": KEY,
  "gen_ai.tool.call.result.api_key": "abc",
  "token.kind": "secretary",
  "cookie.count": "3",
  "secret.name": "prod/db",
  "password.policy": "strict",
  authorized: "true",
  url: "https://example.test/?api_key=abc",
};

const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const NESTED = {
  key: "request.options",
  value: {
    kvlistValue: {
      values: [
        { key: "password", value: { stringValue: "hunter2" } },
        {
          key: "headers",
          value: { kvlistValue: { values: attributesOf({ Authorization: "Bearer abc", accept: "*" }) } },
        },
        { key: "arguments", value: { kvlistValue: { values: attributesOf({ password: "hunter2" }) } } },
        { key: "list", value: { arrayValue: { values: [{ stringValue: KEY }, { stringValue: "b" }] } } },
      ],
    },
  },
};

function bodyOf(traceId: string): string {
  const request = JSON.parse(encodeJson(oneSpan({ traceId })).toString()) as {
    resourceSpans: { resource?: object; scopeSpans: { spans: Record<string, unknown>[] }[] }[];
  };
  const attributes = [...attributesOf({ ...CREDENTIALS, ...SHOWN }), NESTED];
  for (const group of request.resourceSpans) {
    group.resource = { attributes: attributesOf({ "service.name": "desk", "api.key": "kept", api_key: "abc" }) };
    for (const span of group.scopeSpans.flatMap(({ spans }) => spans)) {
      span["attributes"] = attributes;
      span["events"] = [{ timeUnixNano: "1795251153000000000", name: "call", attributes }];
      span["links"] = [{ traceId, spanId: "00f067aa0ba902b7", attributes: attributesOf({ cookie: "sid=1" }) }];
    }
  }
  return JSON.stringify(request);
}

let service: SharedServer;
beforeAll(async () => {
  service = await shareServer();
});
afterAll(() => service.stop());

async function spanOf(traceId: string) {
  const headers = { "content-type": "application/json" };
  const ask = { method: "POST", path: "/v1/traces", key: service.projectKey, body: bodyOf(traceId), headers };
  expect((await send(service.url, ask)).status).toBe(200);
  const { spans } = await until("the conversation is readable", () => service.client.traces.get({ traceId }));
  return spans[0]!;
}

const valuesAt = (names: object, attributes: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, attributes[name]]));

describe("a credential in an attribute", () => {
  test("a credential in an attribute is masked by its name or its form; everything else is shown as it was sent", async () => {
    const span = await spanOf("5b8efff798038103d269b633813fc70a");
    for (const attributes of [span.attributes, span.events[0]!.attributes]) {
      expect(valuesAt(CREDENTIALS, attributes)).toEqual(
        Object.fromEntries(Object.keys(CREDENTIALS).map((name) => [name, MASKED_VALUE])),
      );
      expect(valuesAt(SHOWN, attributes)).toEqual(SHOWN);
      expect(attributes["request.options"]).toEqual({
        password: MASKED_VALUE,
        headers: { Authorization: MASKED_VALUE, accept: "*" },
        arguments: { password: "hunter2" },
        list: [MASKED_VALUE, "b"],
      });
    }
    expect(span.resource).toMatchObject({ "service.name": "desk", "api.key": "kept", api_key: MASKED_VALUE });
    expect(span.links).toMatchObject([{ attributes: { cookie: MASKED_VALUE } }]);
  });
});
