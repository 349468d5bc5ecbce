import type { Dialect, Message } from "../language-model/language-model.ts";
import type { ModelUsage } from "../language-model/usage.ts";

/** A reply of the model. */
type JudgeReplyText = { text: string; isCut: boolean; model: string; dialect: Dialect; usage: ModelUsage };

/** No reply: the endpoint failed, or no further request is allowed. */
export type Interruption = { failure: string } | { stopped: string };

/** A language model that judges. */
export type Judge = {
  /** Asks the model once about several behaviors. */
  ask(
    messages: readonly Message[],
    options: { temperature: number; behaviors: number },
  ): Promise<JudgeReplyText | Interruption>;
};
