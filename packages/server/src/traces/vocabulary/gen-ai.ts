import { preOrder, type SpanNode, spanTree } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { nameOf, textOf } from "./attribute-values.ts";
import { errorOf, firstTokenEventMs, hasFailed, languageOf } from "./span-facts.ts";
import { chatTools, type ToolSpan } from "./chat-tools.ts";
import { chatTurns } from "./chat-turns.ts";
import { unmappedKeys } from "./gen-ai/known-keys.ts";
import { liveSpeech } from "./gen-ai/live-speech.ts";
import { requestOf } from "./gen-ai/requests.ts";
import { firstChunkMs, generationOf, modelOf, providerOf, tokensOf } from "./gen-ai/spellings.ts";
import { requestNodes } from "./request-nodes.ts";
import { sessionOfRoot } from "./sessions.ts";
import { withFailedCalls } from "./unspoken-turns.ts";
import type { ModelCall, SpeechCall, Vocabulary } from "./vocabulary.ts";

// The last two operations, and `user_speech`, are proposals for speech-to-speech sessions: semantic-conventions-genai, pull request 394,
// September 2026.
const INFERENCE_OPERATIONS = new Set([
  "chat",
  "generate_content",
  "text_completion",
  "realtime_inference",
  "generate_live_content",
]);
const USER_SPEECH = "user_speech";
const LIVE_OPERATIONS = new Set(["realtime_inference", "generate_live_content", USER_SPEECH]);
const SPEECH_OPERATIONS: Record<string, SpeechCall["kind"]> = {
  speech_to_text: "stt",
  stt: "stt",
  text_to_speech: "tts",
  tts: "tts",
};

/**
 * Maps OpenTelemetry's GenAI conventions, with messages in attributes or in events, and the older attributes with an index in the key, such
 * as `gen_ai.prompt.0.content`. The conventions describe requests, tools and agents. Only a speech call, or an operation of a live session,
 * shows that a conversation is spoken.
 */
export const genAi: Vocabulary = {
  name: "gen_ai",

  recognises: ({ attributes }) => Object.keys(attributes).some((key) => key.startsWith("gen_ai.")),

  read(spans) {
    const roots = spanTree(spans);
    const nodes = preOrder(roots);
    const nodesOfRequests = requestNodes(nodes, {
      isRequest: isInference,
      isAgent: (span) => operationOf(span) === "invoke_agent",
      isTool,
      agentNameOf: ({ attributes }) => nameOf(attributes["gen_ai.agent.name"]),
    });
    const requests = nodesOfRequests.map(({ node: { span }, ...facts }) => ({
      ...requestOf(span),
      ...facts,
      isLive: LIVE_OPERATIONS.has(operationOf(span)),
    }));
    const chats = requests.filter(({ inTool }) => !inTool);
    const { turns: chatted, turnOf } = chatTurns(chats);
    for (const at of interruptedRequests(nodes, nodesOfRequests)) {
      const turn = turnOf(requests[at]!);
      if (turn !== null) turn.interrupted = true;
    }
    const live = spans.filter((span) => operationOf(span) === USER_SPEECH);
    const { turns, userSpeech } = liveSpeech(live, chats, chatted);
    const speech = nodes.filter(({ span }) => speechKind(span) !== undefined);
    const inference = requests.filter(({ span }) => isInference(span));
    const calls = inference.map((request) => ({ ...modelCall(request.span), turn: turnOf(request) }));
    return {
      generation: generationOf(spans),
      modality: speech.length > 0 || spans.some((span) => LIVE_OPERATIONS.has(operationOf(span))) ? "voice" : null,
      session: sessionOfRoot(roots, new Set(requests.map(({ span }) => span))),
      turns,
      unspokenTurns: withFailedCalls(
        [],
        calls.filter((_, index) => !inference[index]!.inTool),
      ),
      toolCalls: chatTools(nodes.filter(({ span }) => isTool(span)).map(toolSpan), chats, turnOf),
      userSpeech,
      agentSpeech: [],
      thirdPartySpeech: [],
      modelCalls: calls,
      speechCalls: speech.map(({ span }) => ({ ...speechCall(span), turn: null })),
      turnReports: [],
      quality: { language: languageOf(spans), unitsInferred: [], unmappedKeys: unmappedKeys(spans) },
    };
  },
};

/** Attribute of an agent invocation, or of a request in a live session. `interrupted` means that the user interrupted the answer. */
const END_REASON = "gen_ai.agent.invocation.end_reason";

/** Returns the indexes of the requests whose answers the user interrupted. `nodes` must have parents before their children. */
function interruptedRequests(
  nodes: readonly SpanNode[],
  requests: readonly { node: SpanNode; inTool: boolean }[],
): Set<number> {
  const lastBelow = new Map<SpanNode, number>();
  for (const [at, { node, inTool }] of requests.entries()) if (!inTool) lastBelow.set(node, at);
  const interrupted = new Set<number>();
  for (const node of nodes.toReversed()) {
    const last = lastBelow.get(node);
    if (last === undefined) continue;
    if (node.span.attributes[END_REASON] === "interrupted") interrupted.add(last);
    if (node.parent !== null) lastBelow.set(node.parent, Math.max(last, lastBelow.get(node.parent) ?? -1));
  }
  return interrupted;
}

/** Returns the operation of a span. OpenLLMetry sends a request type instead, which is converted to an operation. */
function operationOf({ attributes }: StoredSpan): string {
  const type = textOf(attributes["llm.request.type"]);
  return textOf(attributes["gen_ai.operation.name"]) ?? (type === "completion" ? "text_completion" : (type ?? ""));
}

const isInference = (span: StoredSpan): boolean => INFERENCE_OPERATIONS.has(operationOf(span));

const isTool = (span: StoredSpan): boolean => operationOf(span) === "execute_tool";

const speechKind = (span: StoredSpan): SpeechCall["kind"] | undefined =>
  Object.hasOwn(SPEECH_OPERATIONS, operationOf(span)) ? SPEECH_OPERATIONS[operationOf(span)] : undefined;

function toolSpan({ span }: SpanNode): ToolSpan {
  const { attributes } = span;
  return {
    span,
    id: textOf(attributes["gen_ai.tool.call.id"]),
    name: textOf(attributes["gen_ai.tool.name"]),
    arguments: attributes["gen_ai.tool.call.arguments"],
    result: attributes["gen_ai.tool.call.result"],
    isError: hasFailed(span),
  };
}

function modelCall(span: StoredSpan): Omit<ModelCall, "turnIndex"> {
  const { attributes, startNs, endNs, spanId } = span;
  return {
    model: modelOf(attributes),
    provider: providerOf(attributes),
    startNs,
    endNs,
    timeToFirstTokenMs: firstChunkMs(attributes) ?? firstTokenEventMs(span),
    ...tokensOf(attributes),
    isError: hasFailed(span),
    error: errorOf(span),
    retries: null,
    spanId,
  };
}

function speechCall(span: StoredSpan): Omit<SpeechCall, "turnIndex"> {
  const { attributes, startNs, endNs, spanId } = span;
  const kind = speechKind(span)!;
  return {
    kind,
    model: modelOf(attributes),
    provider: providerOf(attributes),
    startNs,
    endNs,
    timeToFirstByteMs: kind === "tts" ? firstChunkMs(attributes) : null,
    characters: null,
    audioMs: null,
    isError: hasFailed(span),
    error: errorOf(span),
    spanId,
  };
}
