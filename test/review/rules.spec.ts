import { REVIEW_DEFAULTS, type ReviewSettings } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDrawn } from "../../packages/server/src/base/draw.ts";
import { type GradeInDoubt, reviewOf } from "../../packages/server/src/grading/graders/review/rules.ts";

const ON: ReviewSettings = { ...REVIEW_DEFAULTS, sources: [...REVIEW_DEFAULTS.sources], enabled: true, randomShare: 0 };

const names = Array.from({ length: 20_000 }, (_, n) => `job-${n}`);
const drawn = (seed: string, share: number) => names.filter((name) => isDrawn(seed, name, share));

describe("a draw", () => {
  test("a draw takes nothing of share 0, everything of share 1, and about its share of the rest", () => {
    expect(drawn("prj_a", 0)).toEqual([]);
    expect(drawn("prj_a", 1)).toEqual(names);
    for (const share of [0.01, 0.02, 0.1, 0.5]) {
      // The drawn share may differ from the wanted share by five standard deviations.
      const spread = 5 * Math.sqrt(names.length * share * (1 - share));
      expect(Math.abs(drawn("prj_a", share).length - names.length * share)).toBeLessThan(spread);
    }
  });

  test("a draw is the same each time, keeps what a smaller share takes, and differs between seeds", () => {
    const seed = fc.string();
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(seed, fc.string(), share, share, (of, name, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(isDrawn(of, name, less)).toBe(isDrawn(of, name, less));
        if (isDrawn(of, name, less)) expect(isDrawn(of, name, more)).toBe(true);
      }),
    );
    const [one, other] = [new Set(drawn("prj_a", 0.1)), drawn("prj_b", 0.1)];
    const both = other.filter((name) => one.has(name)).length;
    expect(both).toBeGreaterThan(0);
    expect(both).toBeLessThan(400);
  });
});

let ids = 0;
const grade = (more: Partial<GradeInDoubt> = {}): GradeInDoubt => ({
  id: `gra_${++ids}`,
  graderId: "grd_a",
  graderVersionId: "grdv_a",
  graderName: "Polite",
  decidedBy: "judge",
  verdict: "passed",
  confidence: 0.9,
  votes: [{ verdict: "passed" }, { verdict: "passed" }],
  ...more,
});
const SPLIT = [{ verdict: "passed" }, { verdict: "failed" }, { verdict: "passed" }];
const CALL = { source: "production", name: "job-1" } as const;
const review = (
  settings: Partial<ReviewSettings>,
  grades: readonly GradeInDoubt[],
  call: typeof CALL | { source: "simulation"; name: string } = CALL,
) => reviewOf({ ...ON, ...settings }, "prj_a", call, grades);
const reasonsOf = (...args: Parameters<typeof review>) => review(...args).reasons.map(({ reason }) => reason);

describe("a conversation comes into the queue", () => {
  test("for nothing when every vote agrees, the judge is sure and the draw misses it", () => {
    expect(review({}, [grade()])).toMatchObject({ reasons: [], gradeIds: [] });
  });

  test("when it is drawn, with every grade of a judge", () => {
    const grades = [grade(), grade({ graderId: "grd_b" }), grade({ decidedBy: "check", votes: [], confidence: null })];
    const found = review({ randomShare: 1 }, grades);
    expect(found.reasons).toEqual([
      {
        reason: "random",
        about: "",
        graderId: null,
        sentence: "It is one of the 100 % of conversations that are drawn by chance.",
      },
    ]);
    expect(found.gradeIds).toEqual([grades[0]!.id, grades[1]!.id]);
  });

  test("when votes differ, with these grades only, and for each grader version once", () => {
    const grades = [
      grade(),
      grade({ votes: SPLIT }),
      grade({ votes: SPLIT }),
      grade({ graderVersionId: "grdv_b", graderName: "Short", votes: SPLIT }),
    ];
    const found = review({}, grades);
    expect(found.reasons).toEqual([
      {
        reason: "disagreement",
        about: "grdv_a",
        graderId: "grd_a",
        sentence: "The judge's votes on “Polite” differ in 2 grades.",
      },
      {
        reason: "disagreement",
        about: "grdv_b",
        graderId: "grd_a",
        sentence: "The judge's votes on “Short” differ: 2 passed, 1 failed.",
      },
    ]);
    expect(found.gradeIds).toEqual(grades.slice(1).map(({ id }) => id));
  });

  test("not when a vote only failed for a fault of ours or of the model", () => {
    const votes = [{ verdict: "errored" }, { verdict: "passed" }, { verdict: "passed" }];
    expect(reasonsOf({}, [grade({ votes })])).toEqual([]);
    expect(reasonsOf({}, [grade({ votes: [null, "text", {}] })])).toEqual([]);
  });

  test("when the confidence is below the limit, and neither at it nor unknown", () => {
    expect(reasonsOf({ confidenceBelow: 0.7 }, [grade({ confidence: 0.69 })])).toEqual(["low_confidence"]);
    expect(reasonsOf({ confidenceBelow: 0.7 }, [grade({ confidence: 0.7 })])).toEqual([]);
    expect(reasonsOf({ confidenceBelow: 0.7 }, [grade({ confidence: null })])).toEqual([]);
    expect(review({ confidenceBelow: 0.7 }, [grade({ confidence: 0.5 })]).reasons[0]!.sentence).toBe(
      "The judge decided “Polite” with a confidence of 50 %, below 70 %.",
    );
  });

  test("only from sources that are on, and only of the kind and the graders that the project chose", () => {
    const doubtful = [grade({ votes: SPLIT, confidence: 0.1 })];
    expect(reasonsOf({ randomShare: 1 }, doubtful)).toEqual(["random", "disagreement", "low_confidence"]);
    expect(reasonsOf({ randomShare: 1, sources: ["low_confidence"] }, doubtful)).toEqual(["low_confidence"]);
    expect(reasonsOf({ sources: [] }, doubtful)).toEqual([]);
    expect(reasonsOf({ randomShare: 1, scope: "simulations" }, doubtful)).toEqual([]);
    const simulation = { source: "simulation", name: "sim_1" } as const;
    expect(reasonsOf({ randomShare: 1, scope: "simulations" }, doubtful, simulation)).toHaveLength(3);
    expect(reasonsOf({ randomShare: 1, graderIds: ["grd_b"] }, doubtful)).toEqual([]);
    const byCode = grade({ graderId: "grd_b", decidedBy: "check", votes: [], confidence: null });
    expect(review({ randomShare: 1, graderIds: ["grd_b"] }, [...doubtful, byCode]).gradeIds).toEqual([byCode.id]);
  });

  test("a conversation comes into the queue never with a grade that says nothing about the agent", () => {
    const undecided = [grade({ verdict: "errored" }), grade({ verdict: "not_graded", decidedBy: "none" })];
    expect(review({ randomShare: 1, graderIds: ["grd_a"] }, undecided)).toMatchObject({ reasons: [], gradeIds: [] });
    expect(review({ randomShare: 1 }, [grade({ verdict: "inconclusive" })]).gradeIds).toHaveLength(1);
  });

  test("with at most 20 grades, doubtful ones first", () => {
    const grades = [...Array.from({ length: 30 }, () => grade()), grade({ confidence: 0.1 })];
    const { gradeIds } = review({ randomShare: 1 }, grades);
    expect(gradeIds).toHaveLength(20);
    expect(gradeIds).toContain(grades[30]!.id);
  });

  test("for two people when the draw of second people takes it", () => {
    expect(review({ randomShare: 1 }, [grade()]).peopleWanted).toBe(1);
    expect(review({ randomShare: 1, secondPersonShare: 1 }, [grade()]).peopleWanted).toBe(2);
    const at = (name: string) =>
      review({ randomShare: 0.5, secondPersonShare: 0.5 }, [grade()], { source: "simulation", name });
    const found = names.slice(0, 2_000).map(at);
    const drawnOnes = found.filter(({ reasons }) => reasons.length > 0);
    // Whether an item needs two people is drawn independently of whether it enters the queue.
    const share = drawnOnes.filter(({ peopleWanted }) => peopleWanted === 2).length / drawnOnes.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.08);
  });
});
