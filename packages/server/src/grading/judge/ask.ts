import type { Dialect, Message } from "../language-model/language-model.ts";
import type { ModelUsage } from "../language-model/usage.ts";

type JudgeReplyText = { text: string; isCut: boolean; model: string; dialect: Dialect; usage: ModelUsage };

/** Reason for which the judge has no reply: the endpoint failed (`failure`), or no further request is allowed (`stopped`). */
export type Interruption = { failure: string } | { stopped: string };

export type Judge = {
  ask(
    messages: readonly Message[],
    options: { temperature: number; behaviors: number },
  ): Promise<JudgeReplyText | Interruption>;
};
