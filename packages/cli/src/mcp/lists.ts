import { Alert, FailureGroup, idInput, operations } from "@svc/contract";
import { alertLimitText, watchedValueText } from "@svc/contract/constants";
import { z } from "zod";
import { projectPage } from "../runs/page.ts";
import { DATA_NOTE, firstPageThatFits, firstThatFits, READS, said, tool } from "./tool.ts";

const nextPageToken = z.string().nullable();

const { projectId: _1, pageSize: _2, ...groupFilters } = operations.groups.list.query.shape;
const Group = FailureGroup.pick({
  id: true,
  whatText: true,
  title: true,
  size: true,
  agentNames: true,
  state: true,
  firstSeenAt: true,
  lastSeenAt: true,
});

export const groups = tool({
  name: "groups",
  title: "List failure groups",
  description:
    "Lists what fails: failures of simulations and production, grouped by what failed and by the failing words, with the quote that is typical.",
  needs: "read",
  hints: READS,
  input: z.strictObject(groupFilters),
  output: z.strictObject({ note: z.string(), groups: z.array(Group), nextPageToken }),
  run: (input, { session: { client, projectId } }) =>
    firstPageThatFits(async (pageSize) => {
      const found = await client.groups.list({ ...input, projectId, pageSize });
      const shown = found.groups.map(({ id, size, state, firstSeenAt, lastSeenAt, ...group }) => ({
        id,
        whatText: said(group.whatText, 200),
        title: group.title && said(group.title, 200),
        size,
        agentNames: group.agentNames.slice(0, 5).map((name) => name && said(name, 80)),
        state,
        firstSeenAt,
        lastSeenAt,
      }));
      const value = { note: DATA_NOTE, groups: shown, nextPageToken: found.nextPageToken };
      return { value, text: `${shown.length} groups.` };
    }),
});

const { projectId: _3, pageSize: _4, ...alertFilters } = operations.alerts.list.query.shape;
const Raised = Alert.pick({
  id: true,
  ruleName: true,
  agentName: true,
  severity: true,
  state: true,
  windowStartedAt: true,
  raisedAt: true,
  clearedAt: true,
  samples: true,
}).extend({ what: z.string().describe("What was watched, its value and its limit, in words.") });

export const alerts = tool({
  name: "alerts",
  title: "List alerts",
  description:
    "Lists what alert rules found bad in production or simulations, newest first. `find_conversations` with the window's times shows the conversations.",
  needs: "read",
  hints: READS,
  input: z.strictObject(alertFilters),
  output: z.strictObject({ note: z.string(), alerts: z.array(Raised), nextPageToken }),
  run: (input, { session: { client, projectId } }) =>
    firstPageThatFits(async (pageSize) => {
      const found = await client.alerts.list({ ...input, projectId, pageSize });
      const shown = found.alerts.map((alert) => ({
        id: alert.id,
        ruleName: said(alert.ruleName, 120),
        agentName: alert.agentName && said(alert.agentName, 80),
        severity: alert.severity,
        state: alert.state,
        windowStartedAt: alert.windowStartedAt,
        raisedAt: alert.raisedAt,
        clearedAt: alert.clearedAt,
        samples: alert.samples,
        what: `${said(alert.what, 150)} was ${alert.value === null ? "no data" : watchedValueText(alert.value, alert.unit)}, ${alertLimitText(alert)}`,
      }));
      return {
        value: { note: DATA_NOTE, alerts: shown, nextPageToken: found.nextPageToken },
        text: `${shown.length} alerts.`,
      };
    }),
});

const Side = z.strictObject({ test: z.string(), change: z.enum(["broken", "mended"]) });

export const compareRuns = tool({
  name: "compare_runs",
  title: "Compare two runs",
  description:
    "Says whether a later run differs from an earlier one by more than chance: tests that broke, tests that were mended, and the latency. Few plays show no difference: start both runs with iterations 5. Name the earlier run first.",
  needs: "read",
  hints: READS,
  input: z.strictObject({ runId: idInput("run"), with: idInput("run").describe("The later run.") }),
  output: z.strictObject({
    words: z.array(z.string()),
    passingDiffers: z.boolean(),
    latencyDiffers: z.boolean(),
    attributableToAgent: z.boolean().describe("`false`: something besides the agent differs between the runs."),
    firstPassRate: z.number().nullable(),
    secondPassRate: z.number().nullable(),
    tests: z.array(Side),
    moreTests: z.int().describe("Changed tests that are not shown."),
    page: z.string().nullable(),
  }),
  async run({ runId, with: other }, { session }) {
    const { client, projectId } = session;
    const { comparison } = await client.runs.compare({ runId, with: other, projectId });
    const page = await projectPage(session, projectId, `/runs/compare?first=${runId}&second=${other}`);
    const changed = comparison.tests.filter(({ change }) => change !== "none");
    return firstThatFits(
      [40, 10, 3].map((most) => () => ({
        value: {
          words: comparison.words.slice(0, most).map((words) => said(words, 300)),
          passingDiffers: comparison.passingDiffers,
          latencyDiffers: comparison.latencyDiffers,
          attributableToAgent: comparison.attributableToAgent,
          firstPassRate: comparison.first.passRate,
          secondPassRate: comparison.second.passRate,
          tests: changed
            .slice(0, most)
            .map(({ testName, change }) => ({ test: said(testName, 120), change: change as "broken" | "mended" })),
          moreTests: Math.max(0, changed.length - most),
          page,
        },
        text: said(comparison.passingSentence, 300),
      })),
    );
  },
});
