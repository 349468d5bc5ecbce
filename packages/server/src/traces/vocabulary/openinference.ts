import { preOrder, spanTree } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { countOf, milliseconds, nameOf, recordOf, structureOf, textOf } from "./attribute-values.ts";
import { messageOf, messagesOf } from "./chat-messages.ts";
import { chatTools, type ToolSpan } from "./chat-tools.ts";
import { chatTurns, type ModelRequest } from "./chat-turns.ts";
import { countKeys } from "./count-keys.ts";
import { nested } from "./indexed-attributes.ts";
import { isKnown } from "./openinference/known-keys.ts";
import { readPipecatTurns } from "./openinference/pipecat-turns.ts";
import { requestNodes } from "./request-nodes.ts";
import { sessionOfRoot } from "./sessions.ts";
import { errorOf, firstTokenEventMs, hasFailed, languageOf } from "./span-facts.ts";
import { withFailedCalls } from "./unspoken-turns.ts";
import type { ModelCall, SpeechCall, Vocabulary } from "./vocabulary.ts";

const SPEECH_SPANS: Record<string, SpeechCall["kind"]> = { "pipecat.stt": "stt", "pipecat.tts": "tts" };

/** Maps OpenInference, the conventions of Arize Phoenix. An attribute names the kind of a span. The keys of messages contain an index. */
export const openInference: Vocabulary = {
  name: "openinference",

  recognises: ({ attributes }) => "openinference.span.kind" in attributes,

  read(spans) {
    const roots = spanTree(spans);
    const nodes = preOrder(roots);
    const nodesOfRequests = requestNodes(nodes, {
      isRequest: (span) => kindOf(span) === "LLM" && !isSpeech(span),
      isAgent: (span) => kindOf(span) === "AGENT",
      isTool,
      agentNameOf: ({ attributes }) => nameOf(attributes["agent.name"]),
    });
    const requests = nodesOfRequests.map(({ node, ...facts }) => ({ ...requestOf(node.span), ...facts }));
    const chats = requests.filter(({ inTool }) => !inTool);
    const { turns, turnOf } = chatTurns(chats);
    const speech = nodes.filter(({ span }) => isSpeech(span));
    const inference = requests.filter(({ span }) => kindOf(span) === "LLM");
    const calls = inference.map((request) => ({ ...modelCall(request.span), turn: turnOf(request) }));
    const agentTurnOf = new Map(chats.map((request) => [request.span, turnOf(request)]));
    return {
      generation: "1",
      modality: speech.length > 0 ? "voice" : null,
      session: sessionOfRoot(roots, new Set(requests.map(({ span }) => span))),
      turns,
      unspokenTurns: withFailedCalls(
        [],
        calls.filter((_, index) => !inference[index]!.inTool),
      ),
      toolCalls: chatTools(
        nodes.flatMap(({ span }) => (isTool(span) ? toolSpan(span) : [])),
        chats,
        turnOf,
      ),
      userSpeech: [],
      agentSpeech: [],
      thirdPartySpeech: [],
      modelCalls: calls,
      speechCalls: speech.map(({ span }) => ({ ...speechCall(span), turn: null })),
      turnReports: readPipecatTurns(nodes, turns, (span) => agentTurnOf.get(span) ?? null),
      quality: {
        language: languageOf(spans),
        unitsInferred: [],
        unmappedKeys: countKeys(spans, (key) => /^(openinference|llm|tool)\./.test(key) && !isKnown(key)),
      },
    };
  },
};

const kindOf = ({ attributes }: StoredSpan) => textOf(attributes["openinference.span.kind"])?.toUpperCase();

const isTool = (span: StoredSpan): boolean => kindOf(span) === "TOOL";

/** Pipecat's instrumentation also gives speech spans the kind LLM. */
const isSpeech = (span: StoredSpan): boolean => Object.hasOwn(SPEECH_SPANS, span.name);

/** Returns undefined for the placeholder that a sender writes instead of a hidden value. */
const unlessRedacted = (value: unknown): unknown => (value === "__REDACTED__" ? undefined : value);

function requestOf(span: StoredSpan): ModelRequest {
  const { attributes } = span;
  if (kindOf(span) === "AGENT") {
    const [input, output] = ["input", "output"].map((key) =>
      attributes[`${key}.mime_type`] === "application/json" ? null : textOf(unlessRedacted(attributes[`${key}.value`])),
    );
    const chat = input === null ? [] : [messageOf({ role: "user", content: input })];
    return { span, chat, answer: [messageOf({ role: "assistant", content: output })], requestsTools: false };
  }
  const shown = Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => unlessRedacted(value) !== undefined),
  );
  const answer = messagesOf(nested(shown, "llm.output_messages."));
  const requestsTools =
    answer.some(({ toolRequests }) => toolRequests.length > 0) || attributes["llm.finish_reason"] === "tool_calls";
  return { span, chat: messagesOf(nested(shown, "llm.input_messages.")), answer, requestsTools };
}

function toolSpan(span: StoredSpan): ToolSpan {
  const { attributes } = span;
  const output = unlessRedacted(attributes["output.value"]);
  const message = toolMessageOf(output);
  return {
    span,
    id: textOf(attributes["tool.id"]) ?? textOf(attributes["tool_call.id"]) ?? message?.callId ?? null,
    name: textOf(attributes["tool.name"]) ?? textOf(attributes["tool_call.function.name"]) ?? textOf(span.name),
    arguments: unlessRedacted(attributes["input.value"] ?? attributes["tool_call.function.arguments"]),
    result: message === null ? output : message.result,
    isError: message?.isError ?? hasFailed(span),
  };
}

function modelCall(span: StoredSpan): Omit<ModelCall, "turnIndex"> {
  const { attributes, startNs, endNs, spanId } = span;
  const input = countOf([attributes["llm.token_count.prompt"]]);
  return {
    model: nameOf(attributes["llm.model_name"]),
    provider: nameOf(attributes["llm.provider"]) ?? nameOf(attributes["llm.system"]),
    startNs,
    endNs,
    timeToFirstTokenMs: firstTokenEventMs(span) ?? milliseconds(attributes["service.ttfb_seconds"], "seconds"),
    inputTokens: input,
    cachedInputTokens: input === null ? null : countOf([attributes["llm.token_count.prompt_details.cache_read"]]),
    outputTokens: countOf([attributes["llm.token_count.completion"]]),
    isError: hasFailed(span),
    error: errorOf(span),
    retries: null,
    spanId,
  };
}

function speechCall(span: StoredSpan): Omit<SpeechCall, "turnIndex"> {
  const { attributes, startNs, endNs, spanId } = span;
  const kind = SPEECH_SPANS[span.name]!;
  return {
    kind,
    model: nameOf(attributes["llm.model_name"]) ?? nameOf(attributes["metrics.model"]),
    provider: nameOf(attributes["llm.provider"]),
    startNs,
    endNs,
    timeToFirstByteMs: kind === "tts" ? milliseconds(attributes["service.ttfb_seconds"], "seconds") : null,
    characters: null,
    audioMs: null,
    isError: hasFailed(span),
    error: errorOf(span),
    spanId,
  };
}

type ToolMessage = { callId: string | null; result: unknown; isError: boolean | null };

/** Returns the result that a tool of LangChain reports. Since LangChain 1, the members of the message are in `data`. */
function toolMessageOf(value: unknown): ToolMessage | null {
  const message = recordOf(structureOf(value));
  const members = "data" in message ? recordOf(message["data"]) : message;
  if (message["type"] !== "tool" || !("tool_call_id" in members)) return null;
  const { content, status } = members;
  return {
    callId: textOf(members["tool_call_id"]),
    result: content,
    isError: status === "error" ? true : status === "success" ? false : null,
  };
}
