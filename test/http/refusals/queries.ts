import { allOperations } from "@svc/contract";
import { INPUTS, type OperationName } from "../../support/operation-inputs.ts";
import { askOf } from "../../support/operation-request.ts";
import { unknownId } from "../../support/world.ts";
import { adminCredential, type Named, type Row, takingCredentials } from "./row.ts";

const withQuery = ({ name, operation: op }: Named, what: string, code: Row["code"], query: string): Row => ({
  name: `${name} with ${what}`,
  code,
  ask: async (w) => {
    const ask = askOf(op, {
      projectId: w.project.id,
      project: w.project.id,
      ...(await INPUTS[name as OperationName](w)),
    });
    return { ...ask, path: `${ask.path}${ask.path.includes("?") ? "&" : "?"}${query}`, ...adminCredential(w, op) };
  },
});

const closed = takingCredentials.filter(({ operation: op }) => op.credential === "any");

const unknown = closed.flatMap((named) => [
  withQuery(named, "an unknown query key", "invalid_request", "unknown=1"),
  withQuery(named, "the query key __proto__", "invalid_request", "__proto__=1"),
]);

const repeated = allOperations.flatMap((named) =>
  Object.keys(named.operation.query?.shape ?? {}).map((key) =>
    withQuery(named, `the query key ${key} twice`, "invalid_request", `${key}=1&${key}=1`),
  ),
);

const pageSizes = allOperations.flatMap((named) =>
  ["pageSize", "limit"]
    .filter((key) => key in (named.operation.query?.shape ?? {}))
    .flatMap((key) =>
      ["0", "201", "-1", "1.5", "many", ""].map((size) =>
        withQuery(named, `${key}=${size}`, "invalid_request", `${key}=${size}`),
      ),
    ),
);

const cursors = allOperations.flatMap((named) =>
  ["pageToken", "cursor"]
    .filter((key) => key in (named.operation.query?.shape ?? {}))
    .flatMap((key) => [
      withQuery(named, `an empty ${key}`, "invalid_request", `${key}=`),
      ...["nonsense", "tst_", unknownId("usr"), unknownId("tst").toUpperCase(), "%00"].map((cursor) =>
        withQuery(named, `the ${key} ${cursor} that no list made`, "unprocessable", `${key}=${cursor}`),
      ),
    ]),
);

const traceToken = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const TRACES = allOperations.find(({ name }) => name === "traces.list")!;

const ofTraces = [
  ...[
    "from=yesterday",
    "to=2026-13-01T00:00:00Z",
    "source=elsewhere",
    "status=fine",
    "sort=name",
    "search=",
    "agent=",
  ].map((query) => withQuery(TRACES, query, "invalid_request", query)),
  withQuery(
    TRACES,
    "the token of another order",
    "unprocessable",
    `sort=duration&pageToken=${traceToken(["-startedAt", "1", "0".repeat(32)])}`,
  ),
  withQuery(
    TRACES,
    "a token past 64 bits",
    "unprocessable",
    `pageToken=${traceToken(["-startedAt", "9".repeat(20), "0".repeat(32)])}`,
  ),
];

const reversed = allOperations
  .filter(({ operation: { query } }) => query !== undefined && "from" in query.shape && "to" in query.shape)
  .map((named) => ({
    ...withQuery(
      named,
      "a period that ends before it starts",
      "invalid_request",
      "from=2026-11-02T00:00:00Z&to=2026-11-01T23:59:59%2B00:00",
    ),
    details: () => ({ issues: [{ path: "from" }] }),
  }));

const METRICS = allOperations.find(({ name }) => name === "metrics.get")!;

const ofMetrics = [
  "zone=Mars",
  "measure=speed",
  "measure=toString",
  "measure=",
  "bucket=week",
  "from=yesterday",
  "agent=",
].map((query) => withQuery(METRICS, query, "invalid_request", query));

const missing = {
  name: "tests.listOfSuite without suiteId",
  code: "invalid_request",
  details: () => ({ issues: [{ path: "suiteId" }] }),
  ask: (w) => ({ method: "GET", path: `/v1/tests?projectId=${w.project.id}`, key: w.adminKey }),
} satisfies Row;

const PAIR = "ttsProvider=openai&ttsModel=tts-1&sttProvider=deepgram&sttModel=nova-3";
const REQUIRED = ["ttsProvider", "ttsModel", "sttProvider", "sttModel"];
const without = (key: string) => PAIR.replace(new RegExp(`${key}=[^&]*&?`), "");

const ofCapabilities: Row[] = [
  ...REQUIRED.map((key) => [`no ${key}`, without(key), "invalid_request"] as const),
  ["a recognizer without a model", PAIR.replace("sttModel=nova-3", "sttModel=none"), "unprocessable"] as const,
  ["a model without a recognizer", PAIR.replace("sttProvider=deepgram", "sttProvider=none"), "unprocessable"] as const,
  ...REQUIRED.map(
    (key) => [`a blank ${key}`, PAIR.replace(new RegExp(`${key}=[^&]*`), `${key}=+`), "invalid_request"] as const,
  ),
  ["a name over the bound", `${PAIR}&voiceId=${"x".repeat(257)}`, "invalid_request"] as const,
  ["a control character", `${PAIR}&voiceId=a%00b`, "invalid_request"] as const,
  ["an empty language", `${PAIR}&language=`, "invalid_request"] as const,
  ["refresh=yes", `${PAIR}&refresh=yes`, "invalid_request"] as const,
  ...["english+please", "en_US", "e"].map(
    (tag) => [`the language ${tag}`, `${PAIR}&language=${tag}`, "unprocessable"] as const,
  ),
].map(([what, query, code]) => ({
  name: `capabilities.get with ${what}`,
  code,
  ask: (w) => ({ method: "GET", path: `/v1/persona-capabilities?projectId=${w.project.id}&${query}`, key: w.adminKey }),
}));

export const queries: Row[] = [
  ...unknown,
  ...repeated,
  ...pageSizes,
  ...cursors,
  ...ofTraces,
  ...reversed,
  ...ofMetrics,
  ...ofCapabilities,
  missing,
];
