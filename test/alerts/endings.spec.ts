import { expect, test } from "vitest";
import { idsOf, openMonitored } from "../support/monitoring.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;

test("a rule watches the share of calls with an ending, among the calls whose platform reports one, and its alert's calls are those", async () => {
  const m = await openMonitored();
  const p = await m.project();
  // The last window that is judged already: a window is judged a minute after its end.
  const startedMs = (Math.floor((Date.now() - 60_000) / HOUR_MS) - 1) * HOUR_MS;
  const at = (minute: number) => Math.round((Date.now() - startedMs) / 60_000) - minute;
  const ended = (minute: number, disconnection_reason: string | undefined) =>
    p.callBefore(at(minute), { members: { disconnection_reason } });
  const voicemail = [ended(10, "voicemail_reached"), ended(20, "voicemail_reached")];
  const others = [ended(15, "user_hangup"), ended(25, "agent_hangup"), ended(30, "user_hangup")];
  const calls = [...voicemail, ...others, ended(40, undefined)];
  m.fake.addCalls(calls);
  await p.save();
  await p.imported(calls);
  const client = p.client();
  const isRead = async () =>
    (await client.traces.list({ pageSize: 20 })).traces.filter(({ reportedOutcome }) => reportedOutcome?.ending != null)
      .length === 5;
  await until("the endings are read", isRead);

  const listed = await client.traces.list({ ending: "voicemail_reached" });
  expect(listed.traces.map(({ conversationId }) => conversationId)).toEqual(expect.arrayContaining(idsOf(voicemail)));
  expect(listed.traces).toHaveLength(2);

  const rule = {
    watch: { kind: "endings", ending: "voicemail_reached" },
    windowMinutes: 60,
    condition: { is: "above", value: 0.25 },
    minSamples: 5,
  } as const;
  const { series } = await client.alertRules.preview({ ...rule, days: 1 });
  expect(series.map(({ agentName }) => agentName)).toEqual([calls[0]!["agent_name"]]);
  expect(series[0]!.windows).toContainEqual({
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(startedMs + HOUR_MS).toISOString(),
    value: 0.4,
    samples: 5,
    limit: 0.25,
    usual: null,
    judged: "bad",
  });
  const ofNone = await client.alertRules.preview({
    ...rule,
    watch: { kind: "endings", ending: "ivr_reached" },
    days: 1,
  });
  expect(ofNone.series[0]!.windows.filter(({ samples }) => samples === 5).map(({ value }) => value)).toEqual([0]);

  await client.alertRules.create({ ...rule, name: "voicemail" });
  const alert = await until("the alert is raised", async () => (await client.alerts.list({})).alerts[0]);
  expect(alert).toMatchObject({ value: 0.4, what: "share of conversations that ended as voicemail_reached" });
  const raised = await client.traces.list({ alertId: alert.id });
  expect(raised.traces.map(({ traceId }) => traceId).toSorted()).toEqual(
    listed.traces.map(({ traceId }) => traceId).toSorted(),
  );
  expect(alert.conversations.map(({ turn, value }) => [turn, value])).toEqual([
    [null, null],
    [null, null],
  ]);

  await client.alertRules.create({ ...rule, name: "few voicemails", condition: { is: "below", value: 0.9 } });
  const few = await until("the second alert is raised", async () => {
    const { alerts } = await client.alerts.list({});
    return alerts.find(({ ruleName }) => ruleName === "few voicemails");
  });
  expect((await client.traces.list({ alertId: few.id })).traces.map(({ conversationId }) => conversationId)).toEqual(
    expect.arrayContaining(idsOf(others)),
  );
  expect(few.conversations).toHaveLength(others.length);

  const ofSimulations = client.alertRules.create({ ...rule, name: "simulated", source: "simulation" });
  await expect(ofSimulations).rejects.toMatchObject({ code: "unprocessable" });
  await m.stop();
});
