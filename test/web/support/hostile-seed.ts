import { startChatAgent, useTool } from "../../support/chat-agent.ts";
import { until } from "../../support/until.ts";
import { HOSTILE, hostileName, visibleName, LONG_TEXT } from "./hostile-texts.ts";
import { type Seeded, startSeeded } from "./seed.ts";
import { shiftedCapture } from "./shifted-captures.ts";

/** Attributes of the recorded conversations that contain words, or arguments and results of tools. */
const SPOKEN = /transcript|response\.text|input_text|user_input|function_tool\.(name|output|arguments)/;

/** Starts a seeded service in which every name and text is hostile. */
export async function startHostile(): Promise<Seeded> {
  const seeded = await startSeeded();
  const { client, admin, project, agentId, suiteId } = seeded;
  await sendHostileConversation(seeded);
  await admin.organization.edit({ name: visibleName(hostileName("organization")) });
  await admin.projects.edit({ projectId: project.id, name: visibleName(hostileName("project")) });
  for (const [index, text] of HOSTILE.entries()) await admin.keys.create({ name: visibleName(`${index} ${text}`) });
  await client.agents.edit({ agentId, name: visibleName(hostileName("agent")) });
  await client.suites.edit({ suiteId, name: visibleName(hostileName("suite")) });
  const { persona } = await client.personas.create({
    name: visibleName(hostileName("persona")),
    traits: { personality: HOSTILE.join(" ").slice(0, 2_000) } as never,
  });
  await client.graders.create({
    name: visibleName(hostileName("grader")),
    definition: { kind: "llm", criterion: HOSTILE.join(" ").slice(0, 1_000) },
  });
  await client.mockTools.create({
    tool: hostileName("tool"),
    answer: { [hostileName("key")]: LONG_TEXT.slice(0, 8_000) },
  });
  await client.trunks.create({
    name: visibleName(hostileName("trunk")),
    address: `${"x".repeat(200)}.example.com`,
    callerId: "1001",
    allowedNumbers: Array.from({ length: 100 }, (_, n) => `+4930${1_000_000_000 + n}`),
  });
  await client.destinations.create({
    name: visibleName(hostileName("destination")),
    kind: "webhook",
    url: `http://127.0.0.1:9/${LONG_TEXT.slice(0, 500)}`,
    eventTypes: ["run.completed", "simulation.failed"],
    agents: [hostileName("agent")],
  });
  const { alertRule } = await client.alertRules.create({
    name: visibleName(hostileName("alert rule")),
    watch: { kind: "conversations" },
    condition: { is: "below", value: 1_000 },
    windowMinutes: 1_440,
    agents: [hostileName("agent")],
  });
  await until("the hostile rule raises an alert", async () => {
    const [alert] = (await client.alerts.list({ alertRuleId: alertRule.id })).alerts;
    if (alert === undefined) return false;
    await client.alerts.acknowledge({ alertId: alert.id, note: HOSTILE.join(" ").slice(0, 1_000) });
    return true;
  });
  const test = await client.tests.create({
    name: visibleName(hostileName("test")),
    scenario: `Caller says: ${HOSTILE.slice(0, 4).join(" ").replaceAll("\n", " ")}\n${HOSTILE.join("\n")}`,
    expected_behaviors: [
      `says "${hostileName("quote").replaceAll('"', "'")}"`,
      ...HOSTILE.map((text, index) => `${index} ${text}`.slice(0, 2_000)),
    ],
    personas: [persona.name],
    mock_tools: [{ tool: hostileName("tool"), answer: HOSTILE }],
    suite: suiteId,
  });
  const { scheduleId } = seeded;
  await client.schedules.edit({ scheduleId, name: visibleName(hostileName("schedule")), testIds: [test.id] });
  const runs = [await playHostile(seeded, test.version_id), await playHostile(seeded, test.version_id)];
  const { item } = await client.review.get({ reviewItemId: seeded.reviewItemIds[0]! });
  await client.grades.label({
    gradeId: item.gradeIds[0]!,
    verdict: "unsure",
    note: HOSTILE.join(" ").slice(0, 1_000),
  });
  return { ...seeded, testIds: [test.id, ...seeded.testIds], firstRunId: runs[0]!, runId: runs[1]! };
}

/** Sends a conversation with more turns than any other, hostile in every text. */
async function sendHostileConversation({ client, conversationsRead }: Seeded): Promise<void> {
  let count = 0;
  const rewrite = (key: string, text: string) => {
    if (!SPOKEN.test(key)) return text;
    if (key.endsWith("name")) return hostileName("tool");
    const hostile = count++ % 7 === 6 ? LONG_TEXT : HOSTILE[count % HOSTILE.length]!;
    return key.endsWith("arguments") ? JSON.stringify({ [hostileName("key")]: hostile }) : hostile;
  };
  for (const set of ["py-1.8.9-voice", "py-1.8.9-troubles"])
    for (const body of shiftedCapture(set, {
      name: `hostile ${set}`,
      agentName: hostileName("agent"),
      version: hostileName("version"),
      endMs: Date.now(),
      rewrite,
    }))
      await client.traces.ingest(body);
  await conversationsRead();
}

/** Plays the test once against an agent that says hostile texts and calls a tool with a hostile name. Returns the run's id. */
async function playHostile({ client, agentId }: Seeded, testVersionId: string): Promise<string> {
  const agent = await startChatAgent(async (spoken) => {
    if (spoken.event === "start") return { message: HOSTILE[0]! };
    await useTool(spoken, hostileName("tool"), { [hostileName("key")]: HOSTILE[spoken.turn % HOSTILE.length] });
    return { messages: [HOSTILE[spoken.turn % HOSTILE.length]!, LONG_TEXT], ended: spoken.turn > 4 };
  });
  const { connection } = await client.connections.create({
    agentId: agentId as never,
    name: visibleName(hostileName(`line ${agent.url}`)),
    connectionType: "http_chat",
    accessVariant: "http_chat.public",
    config: { url: agent.url, format: "svc" },
  });
  const started = await client.runs.create({
    testVersions: [testVersionId] as never,
    agentId: agentId as never,
    connectionId: connection.id,
    name: visibleName(hostileName("run")),
    iterations: 2,
    caller: "scripted",
    allowUngraded: true,
  });
  if ("plan" in started) throw new Error("The service answered with a plan in place of a run.");
  const { id } = started.run;
  await until(`run ${id} is graded`, async () => (await client.runs.get({ runId: id })).run.status === "completed");
  agent.stop();
  return id;
}
