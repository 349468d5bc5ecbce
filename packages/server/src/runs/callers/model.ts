import { fenceFor } from "../../grading/judge/fence.ts";
import { type LanguageModel, LanguageModelFailure, type Message } from "../../grading/language-model/language-model.ts";
import { LineFailure } from "../lines/line.ts";
import { seedNumber } from "./brief.ts";
import { hangUp, type Move, say, type SimulatedCaller, type SpokenTurn } from "./caller.ts";

const ANSWER_TIMEOUT_MS = 45_000;
const ANSWER_TOKENS_MAX = 400;
const SPOKEN_CHARACTERS_MAX = 2_000;
/** Largest number of requests to the model for one move. The caller repeats a request after an empty answer. */
export const ASKS_PER_MOVE_MAX = 2;
const TEMPERATURE = 0.7;

const HANG_UP = {
  name: "hang_up",
  description: "Ends the call. Use it after saying goodbye.",
  parameters: {
    type: "object",
    properties: {
      reason: { type: "string", enum: ["done", "gave_up"], description: "Whether you got what you called for." },
    },
    required: ["reason"],
    additionalProperties: false,
  },
};

/**
 * Creates a caller that a language model plays. The model ends the call with a tool. Words cannot end the call, because the agent could
 * make the model repeat them.
 */
export function modelCaller(model: LanguageModel, brief: string, seed: string): SimulatedCaller {
  let ending: Move | undefined;

  async function ask(messages: Message[], signal: AbortSignal) {
    try {
      return await model.complete({
        messages,
        tools: [HANG_UP],
        temperature: TEMPERATURE,
        seed: seedNumber(seed),
        maxTokens: ANSWER_TOKENS_MAX,
        timeoutMs: ANSWER_TIMEOUT_MS,
        signal,
      });
    } catch (error) {
      if (!(error instanceof LanguageModelFailure) || signal.aborted) throw error;
      throw new LineFailure("simulator_error", `The caller cannot speak. ${error.message}`);
    }
  }

  return {
    async next(conversation, signal) {
      if (ending) return ending;
      const messages = [{ role: "system" as const, content: brief }, ...messagesOf(conversation, seed)];
      for (let tries = 0; tries < ASKS_PER_MOVE_MAX; tries++) {
        const { text, toolCalls } = await ask(messages, signal);
        const leaving = toolCalls.find(({ name }) => name === HANG_UP.name);
        if (leaving) ending = hangUp(gaveUp(leaving.arguments) ? "gave_up" : "heard_enough");
        const spoken = text.trim().slice(0, SPOKEN_CHARACTERS_MAX);
        if (spoken !== "") return say(spoken);
        if (ending) return ending;
      }
      throw new LineFailure("simulator_error", "The caller's language model said nothing.");
    },
  };
}

/** Returns the conversation as messages for the model. A fence that the agent's words cannot contain marks them as data. */
function messagesOf(conversation: readonly SpokenTurn[], seed: string): Message[] {
  if (conversation.length === 0)
    return [{ role: "user", content: "The call is connected and the agent is silent. Speak first." }];
  return conversation.map(({ role, text }, index) => {
    if (role === "caller") return { role: "assistant", content: text ?? "" };
    if (text === null) return { role: "user", content: "The agent speaks, and you cannot make out the words." };
    const fence = fenceFor(text, `${seed} ${index}`);
    return { role: "user", content: `The agent says:\n${fence}\n${text}\n${fence}` };
  });
}

const gaveUp = (json: string): boolean => /"reason"\s*:\s*"gave_up"/.test(json);
