import { existsSync } from "node:fs";
import type { Run } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Demo } from "../../packages/cli/src/demo/start-demo.ts";
import { openHome } from "../support/cli.ts";
import { until } from "../support/until.ts";
import { freePort } from "../support/worker-service.ts";

let home: ReturnType<typeof openHome>;
beforeAll(() => {
  home = openHome();
});
afterAll(() => home.remove());

test("`demo` tests a sample agent without any setup, finds its one defect with evidence, and raises an alert of production", async () => {
  const env = { PORT: String(await freePort()), SVC_WEB_PORT: "0" };
  const { exitCode, stdout } = await home.svc(["demo", "--no-stay", "--json"], { env });
  const { run, simulations, alert, groups, configDir, seconds, url } = JSON.parse(stdout) as Demo;
  expect([exitCode, url]).toEqual([0, `http://127.0.0.1:${env.PORT}`]);
  expect(run).toMatchObject({ passedVerdicts: 4, failedVerdicts: 1, simulationCount: 5, caller: "scripted" });
  const failed = simulations.find(({ verdict }) => verdict === "failed")!;
  expect(failed.testName).toBe("Admits that the booking failed");
  const [behavior] = failed.grades!.filter(({ verdict, counts }) => counts && verdict === "failed");
  expect(behavior).toMatchObject({ criterion: "handles error of book_room", decidedBy: "check" });
  expect(behavior!.evidence.map(({ quote }) => quote)).toContain("You are booked, Eli Brandt: two nights from Monday.");
  expect(alert).toMatchObject({ ruleName: "Answers are slow: Sample worker", state: "open", samples: 36 });
  expect(alert!.value).toBeGreaterThan(2_000);
  expect(groups!.map(({ whatText }) => whatText).toSorted()).toEqual([
    "Behavior: never says /you are booked/i",
    "Tool book_room was not available",
  ]);
  expect(seconds).toBeGreaterThan(0);
  expect(existsSync(configDir)).toBe(false);
});

test("`serve --demo` says what to try next, keeps running with the data, and removes the data at the end", async () => {
  const demo = await home.serve(["serve", "--demo"]);
  try {
    const said = await until(
      "the result",
      () => /The sample agent has[^]*connections options\n/.exec(demo.printed())?.[0],
    );
    const [configDir, simulation] = [/SVC_CONFIG_DIR=(\S+)/, /simulations show (\S+)/].map(
      (form) => form.exec(said)![1]!,
    );
    const [page, email, password] = [/http:\/\/\S+\/runs\/run_\S+/, /Sign in as (\S+)/, /with the password (\S+)/].map(
      (form) => form.exec(demo.printed())!.at(-1)!,
    );
    const seen = await fetch(page!, { headers: { accept: "text/html" } });
    expect([seen.status, await seen.text()]).toEqual([200, expect.stringContaining("<!doctype html>")]);
    const signedIn = await fetch(new URL("/api/auth/sign-in/email", page), {
      method: "POST",
      headers: { "content-type": "application/json", origin: new URL(page!).origin },
      body: JSON.stringify({ email, password }),
    });
    expect(signedIn.status).toBe(200);
    const env = { SVC_CONFIG_DIR: configDir! };
    const listed = await home.json<{ items: Run[] }>(["runs", "list"], { env });
    expect(listed.items).toMatchObject([{ name: "Sample run", failedVerdicts: 1 }]);
    const ofSuite = ["runs", "list", "--suite", "Booking by phone", "--test", "Books a room"];
    expect(await home.json(ofSuite, { env })).toEqual(listed);
    expect(await home.json(["runs", "list", "--suite", "Default"], { env })).toMatchObject({ items: [] });
    expect((await home.svc(["simulations", "show", simulation!], { env })).stdout).toContain("You are booked, Eli");
    expect(said).toMatch(
      /rule\n"Answers are slow: Sample worker" raised an alert: p95 of response latency was 2\.\d+ s, above 2/,
    );
    expect((await home.svc(["alerts", "list"], { env })).stdout).toContain("Sample worker");
    expect(await demo.stop("SIGINT")).toBe(0);
    expect(existsSync(configDir!)).toBe(false);
  } finally {
    await demo.stop("SIGKILL");
  }
});
