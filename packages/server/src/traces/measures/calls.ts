import type { ModelCall, SpeechCall, ToolCall } from "../conversation/conversation.ts";
import { type MeasureResult, resultOf, type Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";

const NO_TOOL = "No tool was called.";
const NO_MODEL = "The spans show no request to a language model.";
const NOT_REPORTED = "The platform did not report it.";

export const toolLatency = ({ toolCalls }: Timeline): MeasureResult =>
  resultOf(
    toolCalls.map((call) => sample(call, durationMs(call), "measured")),
    NO_TOOL,
    "No tool call has ended.",
  );

export const toolErrors = ({ toolCalls }: Timeline): MeasureResult =>
  resultOf(
    toolCalls.map((call) => sample(call, call.isError === null ? null : Number(call.isError), "provider_reported")),
    NO_TOOL,
    NOT_REPORTED,
  );

export const llmTimeToFirstToken = ofModelCalls((call) => call.timeToFirstTokenMs);
export const llmErrors = ofModelCalls((call) => (call.isError === null ? null : Number(call.isError)));
export const llmRetries = ofModelCalls((call) => call.retries);
export const inputTokens = ofModelCalls((call) => call.inputTokens);
export const cachedInputTokens = ofModelCalls((call) => call.cachedInputTokens);
export const outputTokens = ofModelCalls((call) => call.outputTokens);

export const ttsTimeToFirstByte = ({ speechCalls }: Timeline): MeasureResult =>
  resultOf(
    speechCalls
      .filter((call) => call.kind === "tts")
      .map((call) => sample(call, call.timeToFirstByteMs, "provider_reported")),
    "The spans show no request to speech synthesis.",
    NOT_REPORTED,
  );

function ofModelCalls(read: (call: ModelCall) => number | null): (timeline: Timeline) => MeasureResult {
  return ({ modelCalls }) =>
    resultOf(
      modelCalls.map((call) => sample(call, read(call), "provider_reported")),
      NO_MODEL,
      NOT_REPORTED,
    );
}

function sample(
  { turnIndex, startNs }: ModelCall | SpeechCall | ToolCall,
  value: number | null,
  provenance: Sample["provenance"],
): Sample | null {
  return value === null ? null : { value, provenance, turnIndex, atNs: startNs };
}

const durationMs = ({ startNs, endNs }: ToolCall): number | null =>
  endNs === null || endNs < startNs ? null : Number(endNs - startNs) / 1e6;
