import type { StoredSpan } from "../../stored-span.ts";
import { countKeys, remembered } from "../count-keys.ts";
import type { SpanQuality } from "../vocabulary.ts";

/** Keys of versions up to 1.9 that are mapped or deliberately ignored, without the prefixes `lk.` and `lk.pii.`. */
const KEYS = new Set(
  `speech_id agent_label start_time end_time retry_count provider_request_ids participant_id participant_identity
  destination_identity participant_kind job_id agent_name cloud_agent_id deployment_id room_name session_options room_sid
  dispatch_id track_sid track_source first_frame_delay connection_state disconnect_reason old_state new_state close_reason
  callback.name generation_id parent_generation_id generation_count user_input instructions interrupted chat_ctx
  function_tools provider_tools tool_sets response.text response.function_calls response.ttft response.ttfs
  response.ttfb function_tool.id function_tool.name function_tool.arguments function_tool.output function_tool.is_error
  input_text tts.streaming tts.label user_transcript transcript_confidence transcription_delay end_of_turn_delay
  end_of_utterance_delay on_user_turn_completed_delay speech.queue_wait llm_metrics tts_metrics realtime_model_metrics
  e2e_latency is_interruption playout.position previous_agent_label pre_connect_audio.duration`.split(/\s+/),
);

/** Namespaces in which all keys count as known, without the prefixes `lk.` and `lk.pii.`. */
const GROUPS = new Set(
  "amd blocking close eou fallback input interruption job keyterms room room_io rpc shutdown simulation simulator sip stt".split(
    " ",
  ),
);

/** Newer versions of the framework may send keys that the vocabulary does not know. */
export const unmappedKeys = (spans: readonly StoredSpan[]): SpanQuality["unmappedKeys"] => countKeys(spans, isUnmapped);

const isUnmapped = remembered((key) => key.startsWith("lk.") && !isKnown(key));

function isKnown(key: string): boolean {
  const name = key.slice(key.startsWith("lk.pii.") ? 7 : 3);
  if (KEYS.has(name)) return true;
  const dot = name.indexOf(".");
  return dot > 0 && GROUPS.has(name.slice(0, dot));
}
