import type { Trunk } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server.stop();
  home.remove();
});

const create = [
  "trunks",
  "create",
  "--name",
  "Carrier",
  "--address",
  "sip.example.com",
  "--caller-id",
  "+493012345678",
];

test("trunks are created, listed, shown, edited and deleted by name, and never show their password", async () => {
  const none = await home.svc(["trunks", "list"]);
  expect(none.stdout).toMatch(/^No trunks\. To call telephone numbers: svc trunks create --name/);
  const created = await home.svc([...create, "--user", "acme"], { stdin: "s3cr3t-pa55\n" });
  expect([created.exitCode, created.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Created Carrier\n[^]*Password +…pa55\n[^]*Allowed +none, so the service calls nobody\n[^]*Next step +svc trunks edit trk_\w+ --allow NUMBER/,
    ),
  ]);
  const edited = await home.svc(["trunks", "edit", "Carrier", "--allow", "+4930*", "--allow", "+12025550123"]);
  expect(edited.stdout).toMatch(/^Now Carrier\n[^]*Allowed +\+4930\*, \+12025550123/);
  await home.svc([
    "trunks",
    "edit",
    "Carrier",
    "--disallow",
    "+4930*",
    "--calls-per-day",
    "7",
    "--max-call-seconds",
    "60",
  ]);
  expect(await home.json<Trunk>(["trunks", "show", "Carrier"])).toMatchObject({
    allowedNumbers: ["+12025550123"],
    callsPerDay: 7,
    callsPerMinute: 10,
    maxCallSeconds: 60,
    credentialsHint: "pa55",
  });
  const moved = ["trunks", "edit", "Carrier", "--address", "sip.elsewhere.example"];
  expect((await home.svc(moved)).stderr).toMatch(
    /--user: The new address is on another host\. Enter the credential again/,
  );
  expect((await home.json<Trunk>(["trunks", "edit", "Carrier", "--no-password"])).credentialPresent).toBe(false);
  const listed = await home.svc(["trunks", "list"]);
  expect(listed.stdout).toMatch(/Carrier +sip\.example\.com +\+493012345678 +0 of 7/);
  const deleted = await home.svc(["trunks", "delete", "Carrier", "--yes"]);
  expect(deleted.stdout).toMatch(/^Deleted the trunk "Carrier" \(trk_/);
  expect([created, edited, listed].map(({ stdout }) => stdout).join("")).not.toContain("s3cr3t");
});

test("a wrong command line is refused with what to do", async () => {
  await home.svc(create);
  const refused = async (...args: string[]) => {
    const { exitCode, stderr } = await home.svc(["trunks", "edit", "Carrier", ...args]);
    return [exitCode, stderr];
  };
  expect(await refused()).toEqual([2, expect.stringContaining("Nothing to change.")]);
  expect(await refused("--disallow", "+4930*")).toEqual([2, expect.stringContaining("does not have +4930*")]);
  expect((await refused("--allow", "112"))[1]).toMatch(/Emergency numbers and other short numbers are never called/);
  expect((await refused("--allow", "+1900*"))[1]).toMatch(/never calls premium numbers of North America/);
  expect((await refused("--allow", "0049301"))[1]).toMatch(/E\.164/);
  expect(await home.json<Trunk>(["trunks", "show", "Carrier"])).toMatchObject({ allowedNumbers: [] });
});
