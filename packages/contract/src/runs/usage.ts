import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";

/** Number of a project's runs in a period, and the judge's requests, tokens and cost for these runs. */
export const RunUsage = z
  .strictObject({
    from: timestamp(),
    to: timestamp(),
    runs: count("Number of runs that were created in the period."),
    judgeRequests: count("Number of answered requests to the judge in all gradings of these runs."),
    judgeInputTokens: count("Tokens of the judge's prompts, including cached tokens, as far as they are known."),
    judgeCachedInputTokens: count("Tokens that the model's endpoint took from its cache, as far as they are known."),
    judgeOutputTokens: count("Tokens of the judge's answers, as far as they are known."),
    judgeCost: z
      .number()
      .min(0)
      .meta({ description: "Cost of the judge by the service's prices, without the runs of `runsWithoutCost`." }),
    runsWithoutCost: count("Number of runs whose cost is not known."),
  })
  .meta({ id: "RunUsage" });
export type RunUsage = z.infer<typeof RunUsage>;
