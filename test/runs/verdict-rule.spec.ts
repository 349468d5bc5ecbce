import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERDICTS, type Verdict } from "@svc/contract";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verdictOf, type VerdictParts } from "../../packages/server/src/runs/after/verdict.ts";
import { presentRun, type RunFacts } from "../../packages/server/src/runs/present.ts";
import type { RunRow, SimulationCount } from "../../packages/server/src/runs/rules.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";

const [P, F, I, E, N] = VERDICTS;
const verdict = () => fc.constantFrom<Verdict>(...VERDICTS);
const parts = (): fc.Arbitrary<VerdictParts> =>
  fc.record({
    ending: fc.constantFrom<Verdict | undefined>(F, E, undefined),
    behaviors: fc.array(verdict(), { maxLength: 4 }),
    graders: fc.array(verdict(), { maxLength: 3 }),
    allowUngraded: fc.boolean(),
  });
const expectAlways = (holds: (some: VerdictParts, together: Verdict) => boolean) =>
  fc.assert(fc.property(parts(), (some) => holds(some, verdictOf(some))));

describe("the verdict on a simulation", () => {
  test.each<[Verdict[], Verdict[], Verdict]>([
    [[P, P], [], P],
    [[P, P], [P], P],
    [[P, N], [P], N],
    [[N, N], [P, P], N],
    [[P, I], [P], I],
    [[I, N], [], I],
    [[P, P], [I], I],
    [[P, P], [N], N],
    [[P, E], [], E],
    [[P, E], [F], F],
    [[F, N, I, E], [], F],
    [[], [P], N],
  ])("the verdict on a simulation for the behaviors %j and the graders %j is %s", (behaviors, graders, together) => {
    expect(verdictOf({ ending: undefined, behaviors, graders, allowUngraded: false })).toBe(together);
  });

  test("the verdict on a simulation is passed only when every expected behavior passed, or when one passed and the run allows ungraded ones", () => {
    expectAlways(({ behaviors, allowUngraded }, together) => {
      const mayPass = allowUngraded
        ? behaviors.includes(P)
        : behaviors.length > 0 && behaviors.every((one) => one === P);
      return together !== P || mayPass;
    });
  });

  test("the verdict on a simulation is failed exactly when a part failed, and is never decided beside an error", () => {
    expectAlways(({ ending, behaviors, graders }, together) => {
      const all = [...behaviors, ...graders, ending];
      return all.includes(F) === (together === F) && (!all.includes(E) || together === F || together === E);
    });
  });

  test("the verdict on a simulation does not get better by a grader that is added", () => {
    const worth = [F, E, N, I, P];
    fc.assert(
      fc.property(parts(), verdict(), (some, added) => {
        const more = verdictOf({ ...some, graders: [...some.graders, added] });
        const undecided: Verdict[] = [N, I];
        const isUndecidedTwice = undecided.includes(more) && undecided.includes(verdictOf(some));
        return isUndecidedTwice || worth.indexOf(more) <= worth.indexOf(verdictOf(some));
      }),
    );
  });
});

describe("a run", () => {
  const row = { connection: "{}", due_ms: null } as RunRow;
  const counted = (verdict: Verdict | null, count: number, more: Partial<SimulationCount> = {}): SimulationCount => ({
    status: "completed",
    verdict,
    grading: "settled",
    count,
    behaviors: 2 * count,
    decidedBehaviors: verdict === P || verdict === F ? 2 * count : 0,
    ...more,
  });

  const facts = (counts: RunFacts["counts"]): RunFacts => ({
    agentName: "agent",
    counts,
    tests: [],
    startedBy: null,
    scheduleName: null,
  });

  test("a run has a pass rate that counts undecided simulations as not passed and leaves out errors of ours", () => {
    const run = presentRun(
      row,
      facts([
        counted(P, 2),
        counted(F, 1),
        counted(E, 1),
        counted(I, 3),
        counted(N, 4),
        counted(P, 5, { grading: "running" }),
        counted(null, 6, { status: "canceled" }),
      ]),
    );
    expect(run).toMatchObject({
      passedVerdicts: 2,
      failedVerdicts: 1,
      erroredVerdicts: 1,
      inconclusiveVerdicts: 3,
      notGradedVerdicts: 4,
      pendingVerdicts: 5,
      canceledCount: 6,
      decidedSimulations: 3,
      undecidedSimulations: 7,
      behaviorCount: 22,
      decidedBehaviors: 6,
      undecidedBehaviors: 16,
      passRate: 0.2,
    });
  });

  test("a run with errors of ours alone has no pass rate", () => {
    expect(presentRun(row, facts([counted(E, 3)]))).toMatchObject({
      passRate: null,
      passRateLow: null,
      passRateHigh: null,
    });
  });

  test("a run shows a drop from 70 to 40 percent whose failures are undecided", () => {
    const rate = (passed: number) => presentRun(row, facts([counted(P, passed), counted(I, 10 - passed)])).passRate;
    expect([rate(7), rate(4)]).toEqual([0.7, 0.4]);
  });
});

test("a data folder of an earlier version shows no simulation as passed whose behaviors were not all decided", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const engine = olderFolder(dataDir);
  const graders = [
    { id: "behaviors-1", definition: { kind: "expected_behaviors" } },
    { id: "own", definition: {} },
  ];
  engine
    .prepare(`INSERT INTO runs VALUES ('run', 'prj', NULL, 'completed', NULL, 'agt', 'con', '{}', '[]', ?, 'scripted',
      1, 1, 1, 1, '', NULL, NULL)`)
    .run(JSON.stringify(graders));
  const simulation = (id: string, behaviors: Verdict[], together: Verdict) => {
    engine
      .prepare(`INSERT INTO simulations VALUES (?, 'run', 'prj', 'tst', 'tstv', 'test', 'prs', 'prsv', 'calm', 1, ?,
        'completed', 1, 'agent_ended', NULL, NULL, 2, NULL, 1, 'settled', 1, ?, ?, NULL, '', NULL, NULL)`)
      .run(id, behaviors.length, together, behaviors.filter((one) => one !== N).length);
    const grades = [...behaviors.map((one) => ["behaviors-1", one]), ["own", P]];
    for (const [position, [graderVersionId, one]] of grades.entries()) {
      const grade = JSON.stringify({ graderVersionId, verdict: one, counts: true });
      engine.prepare("INSERT INTO grades VALUES (?, ?, 1, ?, ?, '')").run(`${id}${position}`, id, position, grade);
    }
  };
  simulation("all", [P, P], P);
  simulation("some", [P, N], P);
  simulation("inconclusive", [P, I], P);
  simulation("errored", [P, E], E);
  simulation("none", [N, N], P);
  simulation("failed", [F, N], F);
  engine.close();

  const { db, close } = openSqlite(dataDir);
  const rows = await db.selectFrom("simulations").select(["id", "verdict", "behaviors_graded"]).execute();
  expect(
    Object.fromEntries(rows.map(({ id, verdict, behaviors_graded }) => [id, [verdict, behaviors_graded]])),
  ).toEqual({
    all: [P, 2],
    some: [N, 1],
    inconclusive: [I, 1],
    errored: [E, 1],
    none: [N, 0],
    failed: [F, 1],
  });
  expect(await db.selectFrom("runs").select("allow_ungraded").execute()).toEqual([{ allow_ungraded: 0 }]);
  await close();
  rmSync(dataDir, { recursive: true });
});

/** Creates a data folder with only the migrations before 0011. */
function olderFolder(dataDir: string): Database.Database {
  const folder = "packages/server/migrations";
  const engine = new Database(join(dataDir, "relational.db"));
  engine.pragma("foreign_keys = OFF");
  engine.exec("CREATE TABLE migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT");
  for (const name of readdirSync(folder)
    .filter((file) => file < "0011")
    .sort()) {
    const sql = readFileSync(join(folder, name));
    engine.exec(sql.toString());
    engine.prepare("INSERT INTO migrations VALUES (?, ?, '')").run(name, sha256(sql));
  }
  return engine;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
