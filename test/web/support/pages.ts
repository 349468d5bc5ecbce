import type { Page } from "playwright-core";
import type { Seeded } from "./seed.ts";

/** A page of the seeded service in one state. */
export type SeededPage = {
  name: string;
  path: string;
  /** Whether the page is shown without a session. */
  isPublic?: boolean;
  /** Brings the loaded page into its state. */
  prepare?: (page: Page) => Promise<void>;
};

/** Returns every page of the seeded project, each with an existing address. */
export async function pagesOf({
  client,
  home,
  organizationId,
  runId,
  scheduleId,
  firstRunId,
  agentId,
  suiteId,
  testIds,
  reviewItemIds,
  admin,
}: Seeded): Promise<SeededPage[]> {
  const { agents } = await client.agents.list({ search: "Clinic" });
  const versioned = agents[0] ?? (await client.agents.register({ name: "Clinic" })).agent;
  const { traces } = await client.traces.list({ pageSize: 200 });
  const longest = traces.toSorted((a, b) => (b.turnCount ?? 0) - (a.turnCount ?? 0));
  const recorded = longest.find(({ agentName }) => agentName === "Clinic")!;
  const imported = longest.find(({ agentName }) => agentName === "Front desk") ?? recorded;
  const transferred = longest.findLast(({ agentName }) => agentName === "After hours") ?? imported;
  const { simulations } = await client.runs.simulations({ runId, grades: true, pageSize: 200 });
  const failed = simulations.find(({ verdict }) => verdict === "failed") ?? simulations[0]!;
  const { graders } = await client.graders.list();
  const { personas } = await client.personas.list();
  const { destinations } = await client.destinations.list();
  const { alertRules } = await client.alertRules.list();
  const { alerts } = await client.alerts.list();
  const { groups } = await client.groups.list();
  const open = alerts.find(({ state }) => state === "open")!;
  const { token } = await admin.invitations.create({ email: "cleo@acme.test", role: "viewer" });
  const query = { list: "conversations", source: "production", sort: "-slowest" } as const;
  const { views } = await client.views.list();
  const { id: viewId } = views[0] ?? (await client.views.create({ name: "Slowest calls", query })).view;
  const settings = `/o/${organizationId}/settings`;
  return [
    { name: "sign-in", path: "/sign-in", isPublic: true },
    { name: "single-sign-on", path: "/sign-in/single-sign-on", isPublic: true },
    { name: "signed-on", path: "/sign-in/single-sign-on/done?state=unknown&error=access_denied", isPublic: true },
    { name: "sign-up", path: "/sign-up", isPublic: true },
    { name: "forgot-password", path: "/forgot-password", isPublic: true },
    { name: "invitation", path: `/invitation/${token}`, isPublic: true },
    { name: "invitation-unknown", path: "/invitation/unknown", isPublic: true },
    { name: "reset", path: "/reset/unknown", isPublic: true },
    { name: "device", path: "/device" },
    { name: "overview", path: home },
    { name: "conversations", path: `${home}/conversations` },
    { name: "conversations-empty-by-filter", path: `${home}/conversations?search=zyxwv` },
    { name: "conversations-view", path: `${home}/conversations?view=${viewId}` },
    { name: "conversations-view-changed", path: `${home}/conversations?view=${viewId}&status=error&source=production` },
    { name: "conversations-view-gone", path: `${home}/conversations?view=viw_00000000000000000000000000` },
    {
      name: "conversations-view-save",
      path: `${home}/conversations?from=2026-11-01T00:00:00.000Z&status=error`,
      prepare: (page) => page.getByRole("button", { name: "Save view" }).click(),
    },
    {
      name: "conversations-label",
      path: `${home}/conversations?run=${runId}`,
      prepare: async (page) => {
        for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
        await page.getByRole("toolbar").getByRole("button", { name: "Label" }).click();
        await page
          .getByRole("dialog")
          .getByText(/^What you judge|^None of these conversations has a grade/)
          .first()
          .waitFor();
      },
    },
    { name: "turns", path: `${home}/conversations/turns` },
    { name: "turns-empty-by-filter", path: `${home}/conversations/turns?tool=no_such_tool` },
    { name: "conversation", path: `${home}/conversations/${recorded.traceId}` },
    { name: "conversation-turn", path: `${home}/conversations/${recorded.traceId}?turn=2` },
    { name: "conversation-measures", path: `${home}/conversations/${recorded.traceId}?tab=measures` },
    { name: "conversation-relative", path: `${home}/conversations/${recorded.traceId}?axis=answer` },
    { name: "conversation-imported", path: `${home}/conversations/${imported.traceId}` },
    { name: "conversation-transferred", path: `${home}/conversations/${transferred.traceId}` },
    { name: "conversation-gone", path: `${home}/conversations/0123456789abcdef0123456789abcdef` },
    { name: "metrics", path: `${home}/metrics` },
    { name: "metrics-by-version", path: `${home}/metrics?agent=Clinic&lines=versions` },
    { name: "versions", path: `${home}/metrics/versions?agent=Clinic&version=2026.11.2&with=2026.11.3` },
    { name: "versions-none-chosen", path: `${home}/metrics/versions` },
    { name: "versions-one", path: `${home}/metrics/versions?agent=Front+desk` },
    {
      name: "review",
      path: `${home}/review?item=${reviewItemIds[0]}`,
      prepare: (page) => page.getByRole("group", { name: "What is right?" }).waitFor(),
    },
    { name: "review-items", path: `${home}/review?view=items` },
    { name: "review-empty-by-filter", path: `${home}/review?view=items&state=waiting` },
    { name: "review-settings", path: `${home}/review?view=settings` },
    { name: "review-gone", path: `${home}/review?item=rvi_00000000000000000000000000` },
    { name: "alerts", path: `${home}/alerts` },
    { name: "alert", path: `${home}/alerts/${open.id}` },
    { name: "alert-cleared", path: `${home}/alerts/${alerts.find(({ state }) => state === "cleared")!.id}` },
    { name: "alert-gone", path: `${home}/alerts/alt_00000000000000000000000000` },
    { name: "alert-rule-new", path: `${home}/alerts/rules/new` },
    {
      name: "alert-rule",
      path: `${home}/alerts/rules/${alertRules.find(({ id }) => id === open.alertRuleId)!.id}`,
    },
    {
      name: "alert-mute",
      path: `${home}/alerts/${open.id}`,
      prepare: (page) => page.getByRole("button", { name: "Mute the rule" }).click(),
    },
    { name: "groups", path: `${home}/groups` },
    { name: "groups-empty-by-filter", path: `${home}/groups?agent=Nobody` },
    { name: "group", path: `${home}/groups/${groups[0]!.id}` },
    { name: "group-resolved", path: `${home}/groups/${groups.find(({ state }) => state === "resolved")!.id}` },
    { name: "group-gone", path: `${home}/groups/grp_00000000000000000000000000` },
    { name: "tests", path: `${home}/tests` },
    { name: "test-new", path: `${home}/tests/new` },
    { name: "test", path: `${home}/tests/${testIds[0]}` },
    { name: "test-versions", path: `${home}/tests/${testIds.at(-1)}?from=1&to=2` },
    { name: "suite", path: `${home}/suites/${suiteId}` },
    { name: "mock-tools", path: `${home}/mock-tools` },
    { name: "runs", path: `${home}/runs` },
    { name: "run-new", path: `${home}/runs/new` },
    { name: "run", path: `${home}/runs/${runId}` },
    { name: "simulation", path: `${home}/runs/${runId}/simulations/${failed.id}` },
    { name: "compare", path: `${home}/runs/compare?first=${firstRunId}&second=${runId}` },
    {
      name: "compare-transcripts",
      path: `${home}/runs/compare?first=${firstRunId}&second=${runId}`,
      prepare: async (page) => {
        await page
          .getByRole("table", { name: "Tests that both runs played" })
          .getByRole("link", { name: "side by side" })
          .first()
          .click();
        await page.getByRole("table", { name: "Transcripts side by side" }).waitFor();
      },
    },
    { name: "schedules", path: `${home}/schedules` },
    { name: "schedule-new", path: `${home}/schedules/new` },
    { name: "schedule", path: `${home}/schedules/${scheduleId}` },
    { name: "schedule-edit", path: `${home}/schedules/${scheduleId}/edit` },
    { name: "graders", path: `${home}/graders` },
    { name: "grader-new", path: `${home}/graders/new` },
    { name: "grader", path: `${home}/graders/${graders[0]!.id}` },
    { name: "personas", path: `${home}/personas` },
    { name: "persona-new", path: `${home}/personas/new` },
    { name: "persona", path: `${home}/personas/${personas[0]!.id}` },
    { name: "agents", path: `${home}/agents` },
    { name: "agent-new", path: `${home}/agents?new=true` },
    { name: "agents-archived", path: `${home}/agents?archived=true` },
    { name: "agent", path: `${home}/agents/${agentId}` },
    { name: "agent-with-versions", path: `${home}/agents/${versioned.id}` },
    {
      name: "connection-new",
      path: `${home}/agents/${agentId}`,
      prepare: async (page) => {
        await page.getByRole("button", { name: "Add connection" }).click();
        await page.getByLabel("Type").waitFor();
      },
    },
    {
      name: "connection-edit",
      path: `${home}/agents/${agentId}`,
      prepare: async (page) => {
        await page.getByRole("button", { name: "Edit", exact: true }).first().click();
        await page.getByLabel("Environment").waitFor();
      },
    },
    { name: "trunks", path: `${home}/trunks` },
    {
      name: "trunk-new",
      path: `${home}/trunks`,
      prepare: (page) => page.getByRole("button", { name: "New trunk" }).click(),
    },
    { name: "monitoring", path: `${home}/monitoring` },
    { name: "monitoring-setup", path: `${home}/monitoring/platform_a/setup` },
    { name: "notifications", path: `${home}/notifications` },
    {
      name: "notifications-deliveries",
      path: `${home}/notifications?destination=${destinations.find(({ kind }) => kind === "webhook")!.id}`,
    },
    { name: "notifications-empty-by-filter", path: `${home}/notifications?event=import.resolved` },
    {
      name: "notifications-new",
      path: `${home}/notifications`,
      prepare: async (page) => {
        await page.getByRole("button", { name: "New destination" }).click();
        await page.getByRole("menuitem", { name: "Webhook" }).click();
        await page.getByLabel("Address", { exact: true }).waitFor();
      },
    },
    {
      name: "notifications-created",
      path: `${home}/notifications`,
      prepare: async (page) => {
        await page.getByRole("button", { name: "New destination" }).click();
        await page.getByRole("menuitem", { name: "Webhook" }).click();
        await page.getByLabel("Address", { exact: true }).fill("https://example.com/hooks/svc");
        await page.getByRole("button", { name: "Create destination" }).click();
        await page.getByRole("button", { name: "I have kept it" }).waitFor();
      },
    },
    { name: "keys", path: `${settings}/keys` },
    {
      name: "keys-new",
      path: `${settings}/keys`,
      prepare: (page) => page.getByRole("button", { name: "New key" }).click(),
    },
    {
      name: "keys-created",
      path: `${settings}/keys`,
      prepare: async (page) => {
        await page.getByRole("button", { name: "New key" }).click();
        await page.getByRole("textbox", { name: "Name" }).fill("worker");
        await page.getByRole("button", { name: "Create key" }).click();
        await page.getByRole("button", { name: "I have kept it" }).waitFor();
      },
    },
    {
      name: "keys-revoke",
      path: `${settings}/keys`,
      prepare: (page) => page.getByRole("button", { name: "Revoke" }).first().click(),
    },
    { name: "members", path: `${settings}/members` },
    {
      name: "members-invite",
      path: `${settings}/members`,
      prepare: (page) => page.getByRole("button", { name: "Invite a person" }).click(),
    },
    { name: "organization", path: `${settings}/organization` },
    { name: "projects", path: `${settings}/projects` },
    {
      name: "project-new",
      path: `${settings}/projects`,
      prepare: (page) => page.getByRole("button", { name: "New project" }).click(),
    },
    { name: "language-model", path: `${settings}/language-model` },
    { name: "provider-keys", path: `${settings}/provider-keys` },
    { name: "single-sign-on-settings", path: `${settings}/single-sign-on` },
    { name: "usage", path: `${settings}/usage` },
    { name: "audit", path: `${settings}/audit` },
    { name: "audit-empty-by-filter", path: `${settings}/audit?actor=nobody@acme.test` },
    { name: "account", path: "/account" },
    {
      name: "account-sign-out",
      path: "/account",
      prepare: (page) => page.getByRole("button", { name: "Sign out everywhere" }).click(),
    },
    { name: "not-found", path: "/o/org_00000000000000000000000000/p/none" },
  ];
}
