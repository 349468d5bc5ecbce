import type { EndingReason } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { Conversation } from "../../traces/conversation/conversation.ts";
import type { NewGrade } from "./grader.ts";

export type FailedConversation = {
  source: "production" | "simulation";
  /** `name` is the name under which the failures are stored. `names` are all names under which they may have been stored before. */
  name: string;
  names: readonly string[];
  traceId: string | null;
  runId: string | null;
  agentName: string | null;
  /** Version of the agent; null if unknown, as in simulations. */
  agentVersion: string | null;
  startedAt: string;
  /** Time at which the last failed grade, or else the ending, was decided. */
  decidedAt: string;
  /** The failed grades that count for the verdict. */
  grades: readonly FailedGrade[];
  /** The ending, if it alone caused the failure; null otherwise. */
  ending: EndingReason | null;
  isVetoed: boolean;
  conversation: Pick<Conversation, "turns" | "toolCalls">;
  /** Returns whether the same grades or the same ending still cause the failure, and the conversation is not erased. */
  isUnchanged: (tx: Db) => Promise<boolean>;
};

export type FailedGrade = Pick<
  NewGrade,
  "graderId" | "graderName" | "criterion" | "decidedBy" | "evidence" | "verdict" | "counts"
>;
