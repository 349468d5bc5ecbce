import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { READY_ALERT_RULES } from "@svc/contract";
import { openHome } from "../support/cli.ts";
import { answeredCall, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

type Rule = {
  id: string;
  name: string;
  watch: object;
  condition: object;
  windowMinutes: number;
  agents: string[];
  destinations: string[];
};
type Alerts = { items: { id: string; agentName: string; value: number }[] };

const HOUR_MS = 3_600_000;
/** The last whole hour that the service may check. The spec's clock stands still in the middle of a later hour. */
const WINDOW_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS;

let server: TestServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  vi.useFakeTimers({ now: WINDOW_MS + 1.5 * HOUR_MS, toFake: ["Date"] });
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "true" }, evaluateAlertsEveryMs: 20 });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
  await sendSpans(server, server.client, [...calls(1, "Hotel", 2_400), ...calls(40, "Taxi", 300)]);
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
  vi.useRealTimers();
});

/** Returns 25 conversations in that hour, each with one answer of this latency. */
const calls = (first: number, agent: string, latencyMs: number) =>
  Array.from({ length: 25 }, (_, n) =>
    answeredCall(first + n, { agent, startMs: WINDOW_MS + n * 1_000, latencyMs }),
  ).flat();

const alertsOf = async (...more: string[]) => (await home.json<Alerts>(["alerts", "list", ...more])).items;
const SLOW = ["--measure", "response_latency", "--statistic", "p95", "--above", "2000", "--agent", "Hotel"];

test("one command creates a rule; its first alert is raised at once, listed, shown and acknowledged", async () => {
  const none = await home.svc(["alert-rules", "list"]);
  expect(none.stdout).toMatch(/^No alert rules\. .*svc alert-rules create --ready slow-answers/);
  expect((await home.svc(["alerts", "list"])).stdout).toMatch(/^No alerts\. /);

  const preview = await home.svc(["alert-rules", "preview", ...SLOW, "--window", "1h", "--days", "1"]);
  expect(preview.stdout).toMatch(
    /^p95 of response latency above 2\.00 s in windows of 1h, from [^]*AGENT +WINDOWS +BAD[^]*Hotel +24 +1 [^]*│·+[^·]│[^]*It would have raised 1 alert:[^]*still open +2\.40 s +25 +Hotel/,
  );

  const created = await home.svc(["alert-rules", "create", "--name", "Hotel is slow", ...SLOW, "--window", "1h"]);
  expect([created.exitCode, created.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Created Hotel is slow\n[^]*Bad when +p95 of response latency above 2\.00 s[^]*Agents +Hotel[^]*svc alert-rules preview alr_\w+\n\nNobody hears of its alerts yet\. .*svc alert-rules edit alr_\w+ --tell-slack/,
    ),
  ]);
  await until("the alert is raised", async () => (await alertsOf("--state", "open")).length === 1);
  const [alert] = await alertsOf();
  expect(alert).toMatchObject({ agentName: "Hotel", value: 2_400 });
  expect((await home.svc(["alerts", "list", "--rule", "Hotel is slow"])).stdout).toMatch(
    /RAISED +STATE[^]* open +warning +Hotel +p95 of response latency +2\.40 s +above 2\.00 s +Hotel is slow +alt_/,
  );
  expect((await home.svc(["alert-rules", "list"])).stdout).toMatch(/Hotel is slow +1 open alert +1h +Hotel +warning/);
  expect((await home.svc(["alerts", "show", alert!.id])).stdout).toMatch(
    /^Hotel: p95 of response latency was 2\.40 s, above 2\.00 s\n[^]*Conversations +[0-9a-f]{32}  2\.40 s  turn 2\n[^]*svc traces list --alert alt_\w+\nNext step +svc alerts acknowledge/,
  );
  const noted = await home.svc(["alerts", "acknowledge", alert!.id, "--note", "The model is slow today."]);
  expect(noted.stdout).toMatch(/^Acknowledged Hotel: [^]*Acknowledged +\S+.* by \S[^]*Note +The model is slow today\./);
});

test("a rule is edited, muted, disabled and deleted by name", async () => {
  const create = ["alert-rules", "create", "--name", "Edited", "--errors", "--above", "20%"];
  const rule = await home.json<Rule>(create);
  expect(rule).toMatchObject({ watch: { kind: "errors" }, condition: { is: "above", value: 0.2 }, windowMinutes: 60 });
  const edited = await home.svc(["alert-rules", "edit", "Edited", "--below", "0.5", "--window", "1d", "--in-row", "2"]);
  expect(edited.stdout).toMatch(/^Now Edited\n[^]*below 50\.0 %[^]*Window +1d[^]*In a row +2 windows/);
  expect((await home.svc(["alert-rules", "preview", "Edited", "--above", "3%"])).stdout).toMatch(
    /^share .* above 3\.0 %/,
  );
  expect((await home.svc(["alert-rules", "show", rule.id])).stdout).toContain("below 50.0 %");
  expect((await home.svc(["alert-rules", "mute", "Edited", "--until", "4h"])).stdout).toMatch(
    /^"Edited" tells nobody until .* UTC\. To end it earlier: svc alert-rules unmute alr_/,
  );
  expect((await home.svc(["alert-rules", "list"])).stdout).toMatch(/Edited +.*muted until/);
  expect((await home.svc(["alert-rules", "unmute", "Edited"])).stdout).toMatch(/^"Edited" tells of its alerts again/);
  const muteAgent = (agent: string) => home.svc(["alert-rules", "mute", "Edited", "--agent", agent, "--until", "4h"]);
  await muteAgent("Taxi");
  expect((await muteAgent("Hotel")).stdout).toMatch(/^"Edited" is muted for Taxi until .* UTC, Hotel until .* UTC\./);
  expect((await home.svc(["alert-rules", "list"])).stdout).toMatch(/Edited +.*muted for 2 agents/);
  await home.svc(["alert-rules", "unmute", "Edited", "--agent", "Taxi"]);
  const shown = (await home.svc(["alert-rules", "show", "Edited"])).stdout;
  expect(shown).toMatch(/Last window +\S[^\n]*\nMuted +Hotel until .* UTC/);
  expect(shown).not.toContain("Taxi");
  await home.svc(["alert-rules", "unmute", "Edited"]);
  expect((await home.svc(["alert-rules", "disable", "Edited"])).stdout).toMatch(/^Disabled "Edited"\. .*enable alr_/);
  expect((await home.svc(["alert-rules", "show", "Edited"])).stdout).toMatch(/State +disabled/);
  expect((await home.svc(["alert-rules", "enable", "Edited"])).stdout).toMatch(/^Enabled "Edited"\./);
  const asked = await home.svc(["alert-rules", "delete", "Edited"]);
  expect([asked.exitCode, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect((await home.svc(["alert-rules", "delete", "Edited", "--yes"])).stdout).toContain("Deleted the alert rule");
});

test("each ready rule is added with one flag, narrowed by --agent, and says who hears of it", async () => {
  const url = "https://example.com/hook";
  await server.client.destinations.create({ name: "Pager", kind: "webhook", url, eventTypes: ["alert.raised"] });
  for (const [ready, { name, condition }] of Object.entries(READY_ALERT_RULES)) {
    const rule = await home.json<Rule>(["alert-rules", "create", "--ready", ready, "--agent", "Taxi"]);
    expect(rule).toMatchObject({ name: `${name}: Taxi`, agents: ["Taxi"], condition, destinations: ["Pager"] });
  }
  const other = ["alert-rules", "create", "--ready", "slow-answers", "--above", "3s", "--name", "Very slow"];
  const told = await home.svc(other);
  expect(told.stdout).toMatch(/^Created Very slow\n[^]*above 3\.00 s[^]*Its alerts are sent to Pager\.\n$/);
});

test("a rule watches the share of conversations in which something happens", async () => {
  const watch = ["--occurs", "unanswered_turns", "--above", "5%"];
  const created = await home.svc(["alert-rules", "create", "--name", "Unanswered", "--agent", "Taxi", ...watch]);
  expect(created.stdout).toMatch(/Bad when +share of conversations with an unanswered turn above 5\.0 %/);
});

test("a limit can be what is usual", async () => {
  const create = ["alert-rules", "create", "--measure", "response_latency", "--agent", "Taxi", "--above", "usual"];
  const created = await home.svc([...create, "--name", "Unusual"]);
  expect(created.stdout).toMatch(/Bad when +p95 of response latency above what is usual\nUsual is +The 24 windows/);
  const edit = ["alert-rules", "edit", "Unusual", "--compared-with", "same_hours", "--confidence", "0.9999"];
  const edited = await home.json<Rule & { condition: object }>(edit);
  expect(edited.condition).toEqual({ is: "above", usual: "same_hours", confidence: 0.9999 });
  const fixed = await home.json<Rule & { condition: object }>(["alert-rules", "edit", "Unusual", "--below", "2s"]);
  expect(fixed.condition).toEqual({ is: "below", value: 2_000 });
  const refused = await home.svc(["alert-rules", "edit", "Unusual", "--confidence", "0.99"]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("--above usual")]);
});

test("one line tells a channel in Slack; a later one tells other destinations, reminds, and tells all again", async () => {
  const slack = "https://hooks.slack.com/services/T000/B000/topsecret";
  const create = ["alert-rules", "create", "--ready", "slow-answers", "--agent", "Hotel", "--tell-slack"];
  const told = await home.svc(create, { stdin: `${slack}\n` });
  expect([told.exitCode, told.stdout]).toEqual([
    0,
    expect.stringMatching(/^Created [^]*Tells +dst_\w+[^]*Its alerts are sent to Answers are slow: Hotel\.\n$/),
  ]);
  expect(told.stdout).not.toContain("topsecret");
  expect((await home.svc(["destinations", "show", "Answers are slow: Hotel"])).stdout).toMatch(/alert\.raised/);
  expect((await home.svc(create, { stdin: slack })).stderr).toMatch(/destination.*--tell "Answers are slow: Hotel"/);
  const taken = await home.svc([...create, "--name", "Hotel is slow"], { stdin: slack });
  expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining("taken")]);
  // A refused rule does not leave its destination behind.
  expect((await home.svc(["destinations", "list"])).stdout).not.toContain("Hotel is slow");
  const named = await home.json<Rule>([...create.slice(0, -1), "--name", "Two", "--tell-slack"], { stdin: slack });
  const edit = ["alert-rules", "edit", "Two", "--tell", "Pager", "--remind-after", "4h"];
  const edited = await home.svc(edit);
  expect(edited.stdout).toMatch(/Tells +dst_\w+\nReminds +every 4h/);
  expect(edited.stdout).not.toContain((named as unknown as { destinationIds: string[] }).destinationIds[0]);
  const all = await home.svc(["alert-rules", "edit", "Two", "--tell", "all", "--remind-after", "never"]);
  expect(all.stdout).not.toMatch(/Tells|Reminds/);
  expect((await home.svc(["alert-rules", "edit", "Two", "--tell", "Nobody"])).stderr).toContain('"Nobody"');
});

describe("a rule is refused", () => {
  test.each<[why: string, args: string[], message: RegExp]>([
    [
      "that watches nothing",
      ["--name", "X", "--above", "1"],
      /--measure, --errors, --tool-errors, --grader-failures, --ending, --occurs, --conversations or --import-failures/,
    ],
    ["that watches two things", ["--name", "X", "--errors", "--conversations", "--above", "1"], /watches one thing/],
    [
      "that watches two things",
      ["--name", "X", "--errors", "--occurs", "unanswered_turns", "--above", "1%"],
      /one thing/,
    ],
    ["without a limit", ["--name", "X", "--errors"], /--above or --below/],
    ["without a name", ["--errors", "--above", "5%"], /--name/],
    ["with a share over 1", ["--name", "X", "--errors", "--above", "20"], /--above "20": .*Write 20% or 0\.2/],
    ["with a share of a time", ["--name", "X", "--measure", "response_latency", "--above", "20%"], /no share/],
    ["with a time of a number", ["--name", "X", "--conversations", "--below", "1s"], /no time/],
    ["with a limit that is no number", ["--name", "X", "--errors", "--above", "much"], /Write a number/],
    ["with two limits", ["--name", "X", "--errors", "--above", "1%", "--below", "2%"], /--below/],
    ["with another window", ["--name", "X", "--errors", "--above", "1%", "--window", "2h"], /5m, 15m/],
    ["with a tool of no tool errors", ["--name", "X", "--tool", "book", "--above", "1%"], /--tool together with/],
    ["with a statistic of no measure", ["--name", "X", "--errors", "--statistic", "p50"], /together with --measure/],
    ["with another ready rule", ["--ready", "all"], /slow-answers/],
  ])("%s", async (_, args, message) => {
    const refused = await home.svc(["alert-rules", "create", ...args]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test("with values that the service refuses, by the flag's name", async () => {
    const errors = ["alert-rules", "create", "--name", "X", "--errors", "--above", "5%"];
    expect((await home.svc([...errors, "--in-row", "99"])).stderr).toMatch(/--in-row/);
    expect((await home.svc([...errors, "--min-samples", "0"])).stderr).toMatch(/--min-samples/);
  });

  test("with a name that is taken or unknown, and an edit without a change", async () => {
    const taken = ["alert-rules", "create", "--name", "Taken", "--conversations", "--below", "1"];
    await home.svc(taken);
    expect((await home.svc(taken)).stderr).toContain('--name "Taken" is taken');
    expect((await home.svc(["alert-rules", "show", "Nobody"])).stderr).toMatch(
      /no alert rule "Nobody".*`svc alert-rules list`/,
    );
    expect((await home.svc(["alert-rules", "edit", "Taken"])).stderr).toMatch(/Nothing to change/);
    expect((await home.svc(["alerts", "show", "alt_00000000000000000000000000"])).stderr).toMatch(/`svc alerts list`/);
  });
});
