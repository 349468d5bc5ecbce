import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { played, settled } from "../support/runs.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ settings: { SVC_OUTBOUND_PRIVATE: "false" } });
});
afterAll(() => server.stop());

const newProject = async (name: string) => (await server.admin.projects.create({ name })).project.id;

describe("the sample", () => {
  test("the sample is an agent inside the service with five graded tests, of which one finds its defect", async () => {
    const projectId = await newProject("Sample");
    const { admin } = server;
    const { sample } = await admin.sample.start({ projectId });
    expect(await admin.sample.start({ projectId })).toEqual({ sample });
    const { run, simulations } = await played({ client: admin }, sample.runId);
    expect(run).toMatchObject({
      suiteId: sample.suiteId,
      agentId: sample.agentId,
      connectionType: "sample_agent",
      passedVerdicts: 4,
      failedVerdicts: 1,
      caller: "scripted",
    });
    const failed = simulations.find(({ verdict }) => verdict === "failed")!;
    expect(failed).toMatchObject({ testName: "Admits that the booking failed", tools: { unmocked: [] } });
    const { behaviors } = await admin.runs.behaviors({ runId: run.id, verdict: "failed" });
    expect(behaviors[0]).toMatchObject({
      criterion: "handles error of book_room",
      example: { simulationId: failed.id, evidence: { quote: expect.stringContaining("You are booked, Eli Brandt") } },
    });
  });

  test("the sample is one in each project, however often and however simultaneously it is started", async () => {
    const projectId = await newProject("Often");
    const { admin } = server;
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.sample.start({ projectId })));
    expect(new Set(answers.map(({ sample }) => sample.runId)).size).toBe(1);
    expect((await admin.runs.list({ projectId })).runs).toHaveLength(1);
    expect((await admin.agents.list({ projectId })).agents).toHaveLength(1);
    await settled(admin, answers[0]!.sample.runId);
  });

  test("the sample gets free names in a project that uses its names", async () => {
    const projectId = await newProject("Taken");
    const { admin } = server;
    await admin.agents.register({ projectId, name: "Sample booking agent" });
    await admin.suites.create({ projectId, name: "Booking by phone" });
    await admin.tests.create({
      project: projectId,
      name: "Books a room",
      scenario: "…",
      expected_behaviors: ["ends the call"],
    });
    const { sample } = await admin.sample.start({ projectId });
    expect((await admin.agents.get({ agentId: sample.agentId })).agent.name).toBe("Sample booking agent 2");
    expect((await admin.suites.get({ suiteId: sample.suiteId })).testSuite).toMatchObject({ testCount: 5 });
    await settled(admin, sample.runId);
  });

  test("the sample is started anew after a person archived its agent or deleted its suite, and keeps its runs", async () => {
    const projectId = await newProject("Removed");
    const { admin } = server;
    const { sample } = await admin.sample.start({ projectId });
    await settled(admin, sample.runId);
    await admin.agents.archive({ agentId: sample.agentId });
    const { sample: second } = await admin.sample.start({ projectId });
    expect(second.agentId).not.toBe(sample.agentId);
    await settled(admin, second.runId);
    await admin.suites.delete({ suiteId: second.suiteId });
    const { sample: third } = await admin.sample.start({ projectId });
    expect(third.runId).not.toBe(second.runId);
    await settled(admin, third.runId);
    expect((await admin.runs.get({ runId: second.runId })).run.status).toBe("completed");
  });
});
