import { Errors, Flags } from "@oclif/core";
import { REVIEW_REASON_NAMES, type ReviewReason } from "@svc/contract/constants";
import { idOf } from "../look-up.ts";
import type { Session } from "../session/session.ts";

/** Flag for a share: `2%` or `0.02`. */
export const shareFlag = Flags.custom<number>({
  helpValue: "<share>",
  parse: async (input) => {
    const { number, unit } = /^(?<number>\d+(?:\.\d+)?) ?(?<unit>%)?$/.exec(input)?.groups ?? {};
    const share = Number(number) / (unit === undefined ? 1 : 100);
    if (number !== undefined && share <= 1) return share;
    throw new Errors.CLIError(`Write a share such as 2% or 0.02, at most 100%, not "${input}"`);
  },
});

export const itemFlags = () => ({
  reason: Flags.option({
    options: REVIEW_REASON_NAMES,
    description: "Only items with this reason.",
  })(),
  grader: Flags.string({ description: "Only items with a grade of this grader, by its id or exact name." }),
  agent: Flags.string({ description: "Only conversations of this agent, by its name.", helpValue: "<name>" }),
});

export async function filtersOf(
  session: Session,
  {
    reason,
    grader,
    agent,
  }: { reason?: ReviewReason | undefined; grader?: string | undefined; agent?: string | undefined },
) {
  return { reason, agent, graderId: grader === undefined ? undefined : await idOf(session, "grader", grader) };
}
