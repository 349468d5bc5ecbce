import type { EndingReason } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { Conversation } from "../../traces/conversation/conversation.ts";
import type { NewGrade } from "./grader.ts";

/** A conversation that failed, with the grades or the ending that made it fail. */
export type FailedConversation = {
  source: "production" | "simulation";
  /** The name under which its failures are stored, and all names under which they may have been stored before. */
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
  /** The failed grades that count. */
  grades: readonly FailedGrade[];
  /** Its ending, when the ending alone makes it fail. */
  ending: EndingReason | null;
  isVetoed: boolean;
  conversation: Pick<Conversation, "turns" | "toolCalls">;
  /**
   * Returns whether the same grades or ending still make it fail, and it is not erased. Reads in a transaction of the project.
   */
  isUnchanged: (tx: Db) => Promise<boolean>;
};

/** What a grade says about why it failed. */
export type FailedGrade = Pick<
  NewGrade,
  "graderId" | "graderName" | "criterion" | "decidedBy" | "evidence" | "verdict" | "counts"
>;
