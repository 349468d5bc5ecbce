import { z } from "zod";
import { idInput, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { yesOrNo } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { agentNames } from "./agent-names.ts";
import { agentVersionFilter } from "./agent-version-filter.ts";
import { channelFilter } from "./channel-filter.ts";
import { QUALITY_TOPICS } from "./quality-topics.ts";
import { reportedEnding } from "./reported-ending.ts";

/** Query parameters that select conversations. A conversation must match all of them. */
export const conversationFilters = {
  from: timestampInput.meta({ description: "Only conversations that started at or after this time." }).optional(),
  to: timestampInput.meta({ description: "Only conversations that started before this time." }).optional(),
  source: z.enum(["production", "simulation"]).optional(),
  agent: agentNames,
  withoutAgent: yesOrNo.optional().meta({
    description:
      "`true`: only conversations without an agent name. Together with `agent`, these and those of the agents.",
  }),
  agentVersion: agentVersionFilter,
  channel: channelFilter,
  agentId: idInput("agt").optional().meta({
    description:
      "Id of a registered agent. Only conversations with the agent's current name; none for an unknown agent.",
  }),
  runId: idInput("run").optional().meta({ description: "Only the simulations of this run." }),
  alertId: idInput("alt")
    .optional()
    .meta({
      description: `Id of an alert. Only the conversations that raised it, at most the ${LIMITS.alertConversations} worst; none for an unknown alert.`,
    }),
  status: z.enum(["ok", "error"]).optional(),
  slowerThanMs: z.coerce
    .number<number>()
    .min(0)
    .max(86_400_000)
    .optional()
    .meta({
      description:
        "Only conversations whose slowest answer took longer than this many milliseconds: the maximum of the response latency, or of the text response time of a typed conversation. A conversation without a known time does not match.",
      override: { type: "number", minimum: 0, maximum: 86_400_000 },
    }),
  interrupted: yesOrNo.optional().meta({
    description:
      "`true`: only conversations in which the user cut the agent short at least once. `false`: only those in which the user never did. A conversation of which this is unknown does not match.",
  }),
  tool: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: "Exact name of a tool. Only conversations in which the agent called it." }),
  quality: z
    .enum(QUALITY_TOPICS)
    .optional()
    .meta({ description: "Topic of a quality note. Only conversations with such a note." }),
  ending: reportedEnding(
    "Ending that the platform reports, such as `voicemail_reached`. Only conversations that ended so.",
  ).optional(),
  verdict: z
    .enum(VERDICTS)
    .optional()
    .meta({
      description: `Only simulations with this verdict, and production conversations that at least one grader gave this verdict; of each at most the newest ${LIMITS.conversationsOfVerdict}.`,
    }),
  search: textUpTo(LIMITS.searchCharacters).optional().meta({
    description:
      "Text to find in the turns, the agent's name, the conversation's ids, the names of its room and session, and the errors of its spans.",
  }),
};

/** Query parameter with the order of conversations. */
export const conversationOrder = z
  .enum(["-startedAt", "startedAt", "-duration", "duration", "-latency", "latency", "-slowest", "slowest"])
  .optional()
  .meta({
    description:
      "Default: `-startedAt`. `latency` is the mean response latency, or the mean text response time of a typed conversation; `slowest` is the longest of the same times; an unknown latency counts as the lowest.",
  });
