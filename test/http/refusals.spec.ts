import { ERRORS } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needsProcess } from "../support/in-process.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { IN_PROCESS } from "../support/program.ts";
import { expectRefusal, send } from "../support/request.ts";
import { openWorld, type World } from "../support/world.ts";
import { bodies } from "./refusals/bodies.ts";
import { bounds } from "./refusals/bounds.ts";
import { credentials } from "./refusals/credentials.ts";
import { monitoring } from "./refusals/monitoring.ts";
import { paths } from "./refusals/paths.ts";
import { people } from "./refusals/people.ts";
import { queries } from "./refusals/queries.ts";
import { states } from "./refusals/states.ts";

const casesOf = drawsOfCases();
/** Only a service in this process polls every 200 ms, and these rows need the import failure that a poll finds. */
const rowsOfMonitoring = IN_PROCESS
  ? monitoring
  : monitoring.filter(({ name }) => !/^replaying (a failure|while)/.test(name));
const ROWS = [...credentials, ...paths, ...queries, ...bodies, ...bounds, ...states, ...rowsOfMonitoring, ...people];

/** Error codes that a single request cannot cause, each with the reason. */
const ELSEWHERE = {
  expired_token: "ten minutes have to pass: the specs of the sign-in of devices",
  internal_error: "a store has to break under the running service",
  unavailable: "the disk has to refuse a write or the service to stop: the specs of the intake",
};

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

test.each(casesOf(ROWS, 250).map((row) => [row.name, row.code, row] as const))(
  "%s is refused with the code %s",
  async (_, code, { ask, headers, details }) => {
    const reply = await send(w.url, await ask(w));
    const body = expectRefusal(reply, code);
    if (headers) expect(Object.fromEntries(reply.headers)).toMatchObject(headers);
    if (code === "invalid_request") expect(body.details).toHaveProperty("issues");
    if (details) expect(body.details).toMatchObject(details(w));
  },
);

test.each([
  ["/api/tests", { "content-type": "application/json" }, '{\n"name": "a",}', "not valid JSON at line 2, column 13."],
  [
    "/v1/traces",
    { "content-type": "text/xml" },
    "<a/>",
    "Send OTLP with the `Content-Type` `application/x-protobuf` or",
  ],
])("a wrong body for %s is refused with the words that mend it", async (path, headers, body, words) => {
  const { text } = await send(w.url, { method: "POST", path, key: w.projectKey, headers, body });
  expect((JSON.parse(text) as { message: string }).message).toContain(words);
});

test("a key in the address is not read, and the refusal says so", async () => {
  const { text } = await send(w.url, { method: "GET", path: `/api/tests?api_key=${w.projectKey}` });
  expect((JSON.parse(text) as { message: string }).message).toContain("A key in the address is not read");
  expect(text).not.toContain(w.projectKey);
});

test("a project key that asks for another project, or for a wider key, is refused with the names", async () => {
  const named = await send(w.url, { method: "GET", path: "/api/tests?project=Defualt", key: w.projectKey });
  expect(expectRefusal(named, "not_permitted").message).toContain(
    `project "${w.project.name}", and to no project "Defualt"`,
  );
  const wider = await send(w.url, { method: "POST", path: "/api/keys", key: w.projectKey, json: {} });
  expect(expectRefusal(wider, "not_permitted").message).toContain("name the project with --project");
});

test("every error code has a row here or is listed as tested elsewhere", (context) => {
  needsProcess(context);
  const provoked = new Set([...ROWS.map(({ code }) => code), ...Object.keys(ELSEWHERE)]);
  expect([...provoked].sort()).toEqual(Object.keys(ERRORS).sort());
});

test("every row has a unique name", () => {
  const names = ROWS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
