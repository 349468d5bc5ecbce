import { READY_ALERT_RULES, readyAlertRule, type ReadyAlertRule } from "@svc/contract";
import { describe, expect, test } from "vitest";
import {
  contentOf,
  draftOf,
  limitUnit,
  newDraft,
  WATCHED,
  withComparedWith,
  withWatched,
} from "../../packages/web/src/alerts/draft.ts";

describe("a rule as a person writes it", () => {
  test.each(Object.keys(READY_ALERT_RULES) as ReadyAlertRule[])(
    "a rule as a person writes it is the same rule again: %s",
    (ready) => {
      const chosen = { agentVersions: ["41"], channels: ["telephone" as const, "room" as const] };
      const judged = { minSamples: 5, windowsInRow: 2, noData: "alert" as const };
      const rule = { ...readyAlertRule(ready, ["Hotel"]), ...chosen, ...judged };
      expect(contentOf(draftOf(rule)).content).toEqual(rule);
    },
  );

  test("a rule as a person writes it is the same rule again when it watches what happens in conversations", () => {
    const watch = { kind: "occurrences", measure: "unanswered_turns" } as const;
    const rule = { ...readyAlertRule("conversation-errors", ["Hotel"]), watch };
    expect(contentOf(draftOf(rule)).content).toEqual(rule);
    expect(limitUnit("occurs:unanswered_turns")).toEqual({ name: "%", factor: 0.01 });
  });

  test("a rule as a person writes it has its limit in the unit of its field", () => {
    expect(draftOf(readyAlertRule("slow-answers")).limit).toBe("2");
    expect(draftOf(readyAlertRule("conversation-errors")).limit).toBe("5");
    expect(contentOf({ ...newDraft(), limit: "2,35" }).content?.condition).toEqual({ is: "above", value: 2_350 });
    const share = withWatched(newDraft(), "errors");
    expect(contentOf({ ...share, limit: "0.7" }).content?.condition).toEqual({ is: "above", value: 0.007 });
  });

  test("a rule as a person writes it is named by what it watches until a person names it", () => {
    expect(contentOf(newDraft()).content?.name).toBe("p95 of response latency above 2.00 s");
    expect(contentOf({ ...newDraft(), agents: ["Hotel"] }).content?.name).toBe(
      "Hotel: p95 of response latency above 2.00 s",
    );
    const long = { ...withWatched(newDraft(), "tool_errors"), tool: "🛎️".repeat(90), agents: ["é".repeat(200)] };
    expect(contentOf(long).content!.name.length).toBeLessThanOrEqual(200);
    expect(contentOf({ ...newDraft(), name: " Slow " }).content?.name).toBe("Slow");
  });

  test("compares with the same hours only windows of at most an hour", () => {
    const draft = { ...newDraft(), windowMinutes: 1_440 as const };
    expect(withComparedWith(draft, "windows_before")).toMatchObject({ windowMinutes: 1_440 });
    const same = withComparedWith(draft, "same_hours");
    expect(same).toMatchObject({ windowMinutes: 60 });
    const { content } = contentOf({ ...same, limit: "" });
    expect(content?.condition).toEqual({ is: "above", usual: "same_hours", confidence: 0.999 });
    expect(content?.name).toBe("p95 of response latency above what is usual at this time");
  });

  test("a rule as a person writes it takes the limit of a ready rule for another watched thing, and else asks for one", () => {
    expect(withWatched(newDraft(), "conversations")).toMatchObject({ is: "below", limit: "1" });
    expect(withWatched(newDraft(), "measure:greeting_latency")).toMatchObject({ statistic: "p95", limit: "3" });
    expect(withWatched(newDraft(), "measure:user_interruptions")).toMatchObject({ statistic: "mean", limit: "" });
    for (const { value } of WATCHED) expect(limitUnit(value).factor, value).toBeGreaterThan(0);
  });

  test.each([
    ["limit", { limit: "" }],
    ["limit", { limit: "much" }],
    ["limit", { limit: "1e999" }],
    ["limit", { ...withWatched(newDraft(), "errors"), limit: "2000" }],
    ["minSamples", { minSamples: "0" }],
    ["minSamples", { minSamples: "1.5" }],
    ["windowsInRow", { windowsInRow: "21" }],
  ])("a rule as a person writes it has words beside %s when its number is none: %j", (field, wrong) => {
    const { content, errors } = contentOf({ ...newDraft(), ...wrong });
    expect([content, Object.keys(errors)]).toEqual([undefined, [field]]);
  });
});
