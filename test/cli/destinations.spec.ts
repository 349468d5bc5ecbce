import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { freshName } from "../support/world.ts";

type Created = { id: string; name: string; secret: string | null; address: string; paused: boolean };
type Listed<T> = { items: T[]; more: boolean };

let server: TestServer;
let home: ReturnType<typeof openHome>;
let receiver: Receiver;
/** The status with which the receiver answers. */
let status = 204;

beforeAll(async () => {
  receiver = await startReceiver((_, response) => void response.writeHead(status).end());
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, senderPace: { everyMs: 20 } });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  receiver?.stop();
  home?.remove();
});

const webhook = (name: string) =>
  ["destinations", "create", "--name", name, "--kind", "webhook", "--address", receiver.url].concat(
    "--event",
    "key.created",
  );
const makeKey = () => server.admin.keys.create({ name: freshName("key"), project_id: server.project.id });
const deliveriesOf = async (name: string) =>
  (await home.json<Listed<{ id: string; state: string; attempts: number }>>(["destinations", "deliveries", name]))
    .items;

describe("a destination", () => {
  test("a destination is created with a secret that verifies its events, is tested, paused, resumed, listed and deleted by name", async () => {
    const none = await home.svc(["destinations", "list"]);
    expect(none.stdout).toMatch(/^No destinations\. .*svc destinations create --name CI --kind webhook/);
    const created = await home.svc(webhook("CI"));
    expect([created.exitCode, created.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Created CI\n[^]*Kind +webhook[^]*State +nothing sent yet\n\nSecret +whsec_\S+\nThe service does not show it again\.[^]*new Webhook\(process\.env\.SVC_WEBHOOK_SECRET\)\.verify\(rawBody[^]*svc destinations test dst_/,
      ),
    ]);
    const [secret] = /whsec_\S+/.exec(created.stdout)!;
    const tested = await home.svc(["destinations", "test", "CI"]);
    expect([tested.exitCode, tested.stdout]).toEqual([
      0,
      expect.stringMatching(/^Accepted with the status 204 after /),
    ]);
    const [first] = receiver.received;
    expect(new Webhook(secret).verify(first!.body, first!.headers as Record<string, string>)).toEqual(first!.event);

    await makeKey();
    await until("the event is delivered", async () => (await deliveriesOf("CI"))[0]?.state === "delivered");
    expect((await home.svc(["destinations", "deliveries", "CI"])).stdout).toMatch(
      /WHEN +EVENT +STATE[^]*just now +key\.created +delivered +1 +204 +dlv_\w+/,
    );
    expect((await home.svc(["destinations", "pause", "CI"])).stdout).toMatch(
      /^Paused "CI"\. .*svc destinations resume/,
    );
    expect((await home.svc(["destinations", "list"])).stdout).toMatch(/CI +webhook +paused +key\.created +every agent/);
    expect((await home.svc(["destinations", "resume", "CI"])).stdout).toBe('Resumed "CI": working.\n');
    const asked = await home.svc(["destinations", "delete", "CI"]);
    expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await home.svc(["destinations", "delete", "CI", "--yes"])).stdout).toContain(
      'Deleted the destination "CI"',
    );
  });

  test("whose receiver refuses says so, exits with 1, and names the next step until its events are sent again", async () => {
    const { id } = await home.json<Created>(webhook("Broken"));
    status = 500;
    const tested = await home.svc(["destinations", "test", "Broken"]);
    expect([tested.exitCode, tested.stdout]).toEqual([
      1,
      expect.stringMatching(/^Not accepted after .*: The receiver answered with the status 500\. .*destinations edit/),
    ]);
    await makeKey();
    await until("the attempt has failed", async () => (await deliveriesOf("Broken"))[0]?.attempts === 1);
    expect((await home.svc(["destinations", "show", "Broken"])).stdout).toMatch(
      new RegExp(
        `failing since just now, 1 waiting[^]*status 500\\. \\(\\d failures? in a row\\)[^]*destinations test ${id}`,
      ),
    );
    expect((await home.svc(["destinations", "deliveries", "Broken", "--state", "waiting"])).stdout).toMatch(
      /key\.created +waiting +\d +500 +\d{4}-\d\d-\d\d [\d:]+ UTC +The receiver answered with the status 500\./,
    );
    status = 204;
    // After a change of the address, the service tries again at once.
    await home.svc(["destinations", "edit", "Broken", "--address", receiver.url]);
    await until("it is delivered", async () => (await deliveriesOf("Broken"))[0]?.state === "delivered");
    const again = await home.svc(["destinations", "send-again", "Broken", "--since", "24h"]);
    expect([again.exitCode, again.stdout]).toEqual([
      0,
      expect.stringMatching(/^No such delivery is failed.*deliveries/),
    ]);
  });

  test("a destination is edited as its flags say, and a new secret is printed once", async () => {
    const { secret } = await home.json<Created>(webhook("Edited"));
    const change = ["--name", "Renamed", "--event", "run.completed", "--event", "import.failed", "--agent", "Hotel"];
    expect((await home.svc(["destinations", "edit", "Edited", ...change])).stdout).toMatch(
      /^Now Renamed\n[^]*Events +run\.completed\n +import\.failed\nAgents +Hotel\n/,
    );
    expect((await home.svc(["destinations", "edit", "Renamed", "--every-agent"])).stdout).toMatch(
      /Agents +every agent/,
    );
    const rotated = await home.svc(["destinations", "rotate-secret", "Renamed"]);
    expect(rotated.stdout).toMatch(/^"Renamed" has a new secret\. The former one signs for 24 hours more\.\n\nSecret/);
    expect(rotated.stdout).not.toContain(secret);
  });

  test("for Slack takes its address from standard input or SVC_SLACK_URL, and never from the command line", async () => {
    const slack = ["destinations", "create", "--name", "Team", "--kind", "slack", "--event", "run.completed"];
    const shown = await home.svc([...slack, "--address", `${receiver.url}/secret`]);
    expect([shown.exitCode, shown.stderr]).toEqual([
      2,
      expect.stringMatching(/Slack's address is a secret.*SVC_SLACK_URL/),
    ]);
    const wrong = await home.svc(slack, { stdin: "T000/B000" });
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("begins with https://hooks.slack.com/"),
    ]);
    const { address, secret } = await home.json<Created>(slack, { stdin: `${receiver.url}/T000/B000/topsecret\n` });
    expect([address, secret]).toEqual(["…cret", null]);
    const other = ["destinations", "edit", "Team", "--slack-url"];
    const edited = await home.svc(other, { env: { SVC_SLACK_URL: `${receiver.url}/T000/B000/another` } });
    expect(edited.stdout).toMatch(/Address +…ther/);
    expect((await home.svc(["destinations", "edit", "Team", "--address", receiver.url])).stderr).toContain(
      "--slack-url",
    );
  });

  test("quotes conversations from --quotes until --no-quotes, which the audit says, and never as a webhook", async () => {
    const slack = ["destinations", "create", "--name", "Quoting", "--kind", "slack", "--event", "conversation.failed"];
    const env = { SVC_SLACK_URL: `${receiver.url}/T000/B000/quoting` };
    expect((await home.svc([...slack, "--quotes"], { env })).stdout).toMatch(/Quotes +words of conversations\n/);
    const off = await home.svc(["destinations", "edit", "Quoting", "--no-quotes"]);
    expect([off.exitCode, off.stdout]).toEqual([0, expect.not.stringContaining("Quotes")]);
    const audit = await home.svc(["audit", "list", "--operation", "destinations", "--limit", "2"], {
      env: { SVC_API_KEY: server.adminKey },
    });
    expect(audit.stdout).toMatch(/destinations\.edit \(quotes: false\)[^]*destinations\.create \(quotes: true\)/);
    const refused = await home.svc([...webhook("Hook"), "--quotes"]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("Only Slack and mail")]);
  });
});

describe("a destination is refused", () => {
  test.each<[why: string, args: string[], exitCode: number, message: RegExp]>([
    [
      "without an address",
      ["create", "--name", "X", "--kind", "webhook", "--event", "key.created"],
      2,
      /Set --address/,
    ],
    ["for mail without one", ["create", "--name", "X", "--kind", "email", "--event", "key.created"], 2, /Set --email/],
    ["without a type of event", ["create", "--name", "X", "--kind", "slack"], 2, /--event/],
    ["with another type", ["create", "--name", "X", "--kind", "slack", "--event", "run.started"], 2, /run\.completed/],
    [
      "for mail of a service without mail",
      ["create", "--name", "X", "--kind", "email", "--email", "a@b.test", "--event", "key.created"],
      1,
      /SVC_SMTP_URL/,
    ],
    [
      "with another protocol",
      ["create", "--name", "X", "--kind", "webhook", "--address", "ftp://a.test/", "--event", "key.created"],
      1,
      /--address: Send an address that begins with https/,
    ],
    ["with an unknown name", ["test", "Nobody"], 1, /no destination "Nobody".*`svc destinations list`/],
    ["with an id of another kind", ["show", "agt_00000000000000000000000000"], 1, /no destination "agt_0+"/],
    ["without a change", ["edit", "Nobody"], 2, /Nothing to change\. Set --name/],
    ["without a choice of what to send again", ["send-again", "Nobody"], 2, /--since.*--delivery/],
  ])("%s", async (_, args, exitCode, message) => {
    const refused = await home.svc(["destinations", ...args]);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  });

  test("with a name that is taken", async () => {
    await home.svc(webhook("Taken"));
    const refused = await home.svc(webhook("Taken"));
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--name "Taken" is taken')]);
  });
});

test("events are listed newest first in words with their page, and as a webhook gets them in JSON", async () => {
  await makeKey();
  const { name } = await makeKey();
  const listed = await home.svc(["events", "list", "--limit", "1"]);
  expect(listed.stdout).toMatch(
    new RegExp(`just now +key\\.created +A new API key: ${name} +http\\S+/settings/keys\n\nThere are more`),
  );
  const { items } = await home.json<Listed<{ type: string; data: object }>>([
    "events",
    "list",
    "--type",
    "key.created",
  ]);
  expect(items[0]).toMatchObject({ type: "key.created", data: { key: { name } } });
  const none = await home.svc(["events", "list", "--type", "run.completed"]);
  expect(none.stdout).toBe("No event run.completed happened in the last 30 days.\n");
});
