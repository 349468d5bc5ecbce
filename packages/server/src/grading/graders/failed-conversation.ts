import type { EndingReason } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { Conversation } from "../../traces/conversation/conversation.ts";
import type { NewGrade } from "./grader.ts";

/** A conversation that failed, with what decided so. */
export type FailedConversation = {
  source: "production" | "simulation";
  /** The name that its failures are kept by, and all that they may have been kept by before. */
  name: string;
  names: readonly string[];
  traceId: string | null;
  runId: string | null;
  agentName: string | null;
  /** Null when it is unknown, as in simulations. */
  agentVersion: string | null;
  startedAt: string;
  /** When the last of these failures was decided. */
  decidedAt: string;
  /** The grades that count and decided against it. */
  grades: readonly FailedGrade[];
  /** Its ending, when that fails by itself. */
  ending: EndingReason | null;
  isVetoed: boolean;
  conversation: Pick<Conversation, "turns" | "toolCalls">;
  /** Returns, in a transaction of the project, whether the same still decides, and the conversation is not erased. */
  isUnchanged: (tx: Db) => Promise<boolean>;
};

/** What a grade says about why it failed. */
export type FailedGrade = Pick<
  NewGrade,
  "graderId" | "graderName" | "criterion" | "decidedBy" | "evidence" | "verdict" | "counts"
>;
