import { Flags } from "@oclif/core";
import { decimalFlag, repeatedFlag } from "../flags.ts";
import { idOf, idsOf } from "../look-up.ts";
import { usage } from "../refusal.ts";
import { requirementOf } from "../runs/requirement.ts";
import type { Session } from "../session/session.ts";

const OVERLAPS = ["skip", "queue"] as const;

export const scheduleFlags = () => ({
  tz: Flags.string({ description: "Time zone of the expression, such as Europe/Berlin.", helpValue: "<zone>" }),
  suite: Flags.string({ description: "Run the tests of this suite, by its id or exact name." }),
  tag: repeatedFlag(
    "Run the tests of the suite that have this tag; without --suite, those of the whole project.",
    "<tag>",
  ),
  test: repeatedFlag("Run this test in its current version, by its id or exact name."),
  persona: repeatedFlag("Let this persona call in place of the personas of each test; its id or exact name."),
  iterations: Flags.integer({ description: "Times to run each test with each persona.", min: 1 }),
  concurrency: Flags.integer({ description: "Simulations at the same time.", min: 1 }),
  caller: Flags.option({ options: ["scripted", "model"] as const, description: "Caller of the simulations." })(),
  "max-cost": decimalFlag({ description: "Cost at which the judge of a run stops.", helpValue: "<amount>" }),
  require: Flags.string({
    description: "Share of the iterations of each test that must pass, such as 4/5 or 80%. Default: all.",
    helpValue: "<share>",
  }),
  overlap: Flags.option({
    options: OVERLAPS,
    description:
      "When a run is due while the previous run is still under way: skip the new run, or start it when the previous run has ended.",
  })(),
});

type ScheduleFlags = {
  tz?: string | undefined;
  suite?: string | undefined;
  tag?: string[] | undefined;
  test?: string[] | undefined;
  persona?: string[] | undefined;
  iterations?: number | undefined;
  concurrency?: number | undefined;
  caller?: "scripted" | "model" | undefined;
  "max-cost"?: number | undefined;
  require?: string | undefined;
  overlap?: (typeof OVERLAPS)[number] | undefined;
};

export function refuseWrongFlags({ suite, tag, test, require }: ScheduleFlags): void {
  if (test !== undefined && (suite !== undefined || tag !== undefined))
    throw usage("--test cannot be combined with --suite or --tag. Set either the tests or their group.");
  requirementOf(require);
}

export async function readSchedule(session: Session, flags: ScheduleFlags) {
  const { tz: timeZone, suite, tag: tags, test: tests, persona: personas, iterations, concurrency } = flags;
  return {
    timeZone,
    suiteId: suite === undefined ? undefined : await idOf(session, "suite", suite),
    tags,
    testIds: tests && (await idsOf(session, "test", tests)),
    personas,
    iterations,
    concurrency,
    caller: flags.caller,
    maxCost: flags["max-cost"],
    require: flags.require,
    overlap: flags.overlap,
  };
}
