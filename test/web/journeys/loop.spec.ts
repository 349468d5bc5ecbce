import { webFolder } from "@svc/web";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conversation, sendSpans } from "../../support/production.ts";
import { chatConnection } from "../../support/runs.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";

const BROKEN = (room: number) => `I guarantee that room ${room} is free.`;

/** Returns a conversation with this version of the agent that starts after everything else. */
function failing(trace: number, version: string) {
  const atNs = `${Date.now() + 60_000}000000`;
  const named = { key: "svc.agent_version", value: { stringValue: version } };
  return conversation(trace, BROKEN(trace)).map((span) => ({
    ...span,
    attributes: [...(span.attributes ?? []), named],
    startTimeUnixNano: atNs,
    endTimeUnixNano: atNs,
  }));
}

describeInBrowser("the loop of a team", (open) => {
  let server: TestServer;
  let context: BrowserContext;
  let home: string;
  beforeAll(async () => {
    server = await startServer({
      webFolder: await webFolder(),
      checkAnswers: false,
      productionPace: { everyMs: 50 },
      groups: { pace: { everyMs: 20 } },
    });
    await server.client.graders.create({
      name: "No guarantee",
      definition: { kind: "check", check: 'never says "guarantee"' },
      scope: "production",
    });
    const { organization } = await server.admin.organization.get();
    home = `/o/${organization.id}/p/${server.project.slug}`;
    context = await openContext(open.browser, server.url);
  });
  afterAll(async () => {
    await context?.close();
    await server?.stop();
  });

  const groupOf = (size: number, state: string) =>
    until(`an ${state} group of ${size}`, async () =>
      (await server.client.groups.list({})).groups.find((group) => group.size === size && group.state === state),
    );

  test("a failure group is resolved from the next version on, comes back in it, and becomes a test", async () => {
    const { page, errors } = await openPage(context, `${home}/groups`);
    await page.getByRole("heading", { name: "See what fails again and again" }).waitFor();
    await sendSpans(server, server.client, [...failing(1, "41"), ...failing(2, "41")]);
    await groupOf(2, "open");
    await page.reload();
    await page.getByRole("link", { name: /^I guarantee that room/ }).click();
    await page.getByRole("button", { name: "Resolve in the next version" }).click();
    await page.getByText(/Resolved .* by Admin, except in 41/).waitFor();

    await sendSpans(server, server.client, failing(3, "41"));
    await groupOf(3, "resolved");
    await sendSpans(server, server.client, failing(4, "42"));
    await groupOf(4, "open");
    await page.reload();
    await page.getByText(/came back/).waitFor();
    await page.getByRole("button", { name: "Ignore" }).click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();

    await page.getByRole("link", { name: "Make a test of the newest" }).click();
    await page.getByText("The first behaviors are what failed in it").waitFor();
    await page.getByRole("button", { name: "Create test" }).click();
    await page.waitForURL(/\/tests\/(?!new)/);
    const { items } = await server.client.tests.list();
    expect(items[0]!.expected_behaviors[0]).toBe('never says "guarantee"');
    expect(items[0]!.scenario).toContain("How are you?");

    const [group] = (await server.client.groups.list({ state: "ignored" })).groups;
    await page.goto(`${server.url}${home}/groups/${group!.id}`);
    await page.getByRole("link", { name: "Make tests of 4" }).click();
    for (const left of [3, 2, 1]) {
      await page.getByText(`${left} conversation${left > 1 ? "s" : ""} after this one.`).waitFor();
      // The caller said the same in each, so the drafts have the same name.
      await page.getByLabel("Name", { exact: true }).fill(`Guarantee ${left}`);
      await page.getByRole("button", { name: "Create test" }).click();
    }
    await page.waitForURL(/tests\/new\?conversation=[0-9a-f]{32}&failing=true$/);
    await page.getByText(/conversations? after this one/).waitFor({ state: "detached" });
    await page.getByLabel("Name", { exact: true }).fill("Guarantee 0");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.waitForURL(/\/tests\/(?!new)/);
    expect((await server.client.tests.list()).items).toHaveLength(5);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("a failure group shows hostile words and names as they were said, and runs nothing of them", async () => {
    const said = 'I guarantee <img src=x onerror="window.hostile=1"> [x](javascript:alert(1)) \u202egnp.exe';
    const agent = "<script>window.hostile=1</script>";
    const [root, ...spans] = conversation(90, said);
    const named = { key: "gen_ai.agent.name", value: { stringValue: agent } };
    const atNs = `${Date.now()}000000`;
    const times = { startTimeUnixNano: atNs, endTimeUnixNano: atNs };
    await sendSpans(server, server.client, [
      { ...root!, ...times, attributes: [...(root!.attributes ?? []), named] },
      ...spans.map((span) => ({ ...span, ...times })),
    ]);
    const group = await until("the group of the hostile agent", async () =>
      (await server.client.groups.list({})).groups.find(({ agentNames }) => agentNames.includes(agent)),
    );
    for (const path of ["groups", `groups/${group.id}`]) {
      const { page, errors } = await openPage(context, `${home}/${path}`);
      await page.getByText("I guarantee <img src=x onerror=", { exact: false }).first().waitFor();
      expect(await page.locator("main").innerText()).toContain(agent);
      expect(await page.locator("main img, main script, main a[href^='javascript:']").count()).toBe(0);
      expect(await page.evaluate(() => "hostile" in globalThis)).toBe(false);
      expect(errors).toEqual([]);
      await page.close();
    }
  });

  test("a schedule has personas of its own, or those of each test again", async () => {
    await chatConnection(server.client, "https://agent.example/chat");
    const { testSuite } = await server.client.suites.create({ name: "Nightly" });
    await server.client.tests.create({
      name: "Greets",
      scenario: "Says: Hello",
      expected_behaviors: ['never says "no"'],
      suite: testSuite.id,
    });
    const { page, errors } = await openPage(context, `${home}/schedules/new`);
    await page.getByText("The personas of each test call.").waitFor();
    await page.getByRole("button", { name: "Persona" }).click();
    await page.getByRole("menuitem", { name: /^hurried/ }).click();
    await page.getByText("Each calls once per iteration.").waitFor();
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.waitForURL(/\/schedules\/(?!new)/);
    const only = async () => (await server.client.schedules.list({})).schedules[0]!;
    expect((await only()).personas).toHaveLength(1);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: /^Remove / }).click();
    await page.getByRole("button", { name: "Save schedule" }).click();
    await page.waitForURL(/\/schedules\/[^/]+$/);
    expect((await only()).personas).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
