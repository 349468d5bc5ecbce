import type { Grader } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { traceIdOf } from "../support/ingest.ts";
import { conversation, graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await startServer({ productionPace: { everyMs: 100 } });
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const CREATE = ["graders", "create", "--name", "No promises", "--check", 'never says "guarantee"'];

describe("graders", () => {
  test("graders are created, listed, shown, edited, archived and restored by name", async () => {
    const { exitCode, stdout } = await home.svc([...CREATE, "--scope", "both", "--sample-rate", "0.125"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Created "No promises"\.\n[^]*Kind +check\nDefinition +never says "guarantee"\nUse +counts\nGrades +simulations, production \(12\.5 %\)/,
      ),
    ]);
    const listed = (await home.svc(["graders", "list"])).stdout;
    expect(listed).toMatch(
      /No promises +1 +counts +simulations, production \(12\.5 %\)[^]*Missed final turn +1 +shown +simulations[^]*Unanswered turns +1 +counts +simulations[^]*Expected behaviors +1 +counts +simulations/,
    );
    const change = ["--criterion", "Promises nothing.", "--no-counts"];
    const edited = await home.svc(["graders", "edit", "No promises", ...change]);
    expect(edited.stdout).toMatch(/Version +2[^]*Kind +llm\nDefinition +Promises nothing\.\nUse +shown/);
    expect((await home.svc(["graders", "show", "No promises"])).stdout).toMatch(
      /2 +just now +Promises nothing\. +grdv_\w+\n +1 +just now +never says "guarantee" +grdv_\w+/,
    );
    expect((await home.svc(["graders", "archive", "No promises"])).stdout).toMatch(/svc graders restore grd_/);
    expect((await home.svc(["graders", "restore", "No promises"])).stdout).toMatch(/^Restored "No promises"/);
    const shipped = await home.json<Grader>(["graders", "edit", "Turn taking", "--counts"]);
    expect(shipped).toMatchObject({ source: "shipped", counts: true, version: 1 });
  });

  test("graders are refused with an invalid definition or setting, and the message says what to do", async () => {
    const refused = async (...args: string[]) => (await home.svc(["graders", ...args])).stderr;
    expect(await refused("create", "--name", "X")).toMatch(/needs a definition\. Set one of --check/);
    expect(await refused("create", "--name", "X", "--check", "calls a", "--latency-ms", "5")).toMatch(
      /A grader has one definition/,
    );
    expect(await refused("create", "--name", "X", "--check", "calls a", "--sample-rate", "2")).toMatch(/from 0 to 1/);
    expect(await refused("create", "--name", "X", "--check", "Is polite.")).toMatch(
      /docs\/behaviors\.md.*The forms, by example: calls /,
    );
    expect(await refused("edit", "Turn taking", "--name", "X")).toMatch(/ships with the service/);
    expect(await refused("show", "Nobody")).toMatch(/no grader "Nobody".*`svc graders list`/);
  });

  test("graders grade production conversations, and `agreement` shows how often they agree with the labels of people", async () => {
    // This grader may not sample the next conversation.
    await home.svc(["graders", "archive", "No promises"]);
    const fine = ["--name", "Fine", "--check", 'says "fine"', "--scope", "production"];
    const made = await home.json<Grader>(["graders", "create", ...fine]);
    expect((await home.svc(["graders", "agreement", "Fine"])).stdout).toMatch(
      / 0 +0 +0 +\? +\? +\? +\?[^]*No labels of judged grades yet/,
    );
    await sendSpans(server, server.client, conversation(1, "I am fine."));
    const [grade] = await graded(server.client, 1);
    expect(grade!.graderId).toBe(made.id);
    const label = await home.svc(["graders", "label", grade!.id!, "failed", "--note", "It was not."]);
    expect([label.exitCode, label.stdout]).toEqual([0, expect.stringMatching(/says failed, just now: It was not\./)]);
    expect((await home.svc(["traces", "grades", traceIdOf(1)])).stdout).toMatch(
      new RegExp(
        `^passed +says "fine" \\(Fine\\)\\n +read as: The agent says "fine"\\.\\n[^]*turn 1: "fine"[^]*${grade!.id}`,
      ),
    );
    // Code decided the labelled grade, and agreement counts only grades of a judge.
    expect((await home.svc(["graders", "agreement", "Fine"])).stdout).toMatch(
      /1 +grdv_\w+ +none +0 +0 +1 +\? +\? +\? +\? +\? +\?\n[^]*No labels of judged grades yet/,
    );
  });
});
