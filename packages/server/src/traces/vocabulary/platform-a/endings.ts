import type { CallEnding } from "../vocabulary.ts";

const REASONS: Record<CallEnding, string> = {
  completed: "user_hangup agent_hangup call_transfer transfer_bridged",
  taken_over: "manual_stopped call_take_over transfer_cancelled",
  no_contact:
    "dial_busy dial_no_answer dial_failed voicemail_reached ivr_reached user_declined marked_as_spam scam_detected invalid_destination",
  dead_air: "inactivity error_user_not_joined registered_call_timeout",
  limit: "max_duration_reached concurrency_limit_reached no_concurrency_fallback no_valid_payment",
  fault: `error_llm_websocket_open error_llm_websocket_lost_connection error_llm_websocket_runtime
    error_llm_websocket_corrupt_payload error_no_audio_received error_asr error_retell error_unknown
    telephony_provider_permission_denied telephony_provider_unavailable sip_routing_error`,
};

const ENDING_OF = new Map(
  Object.entries(REASONS).flatMap(([ending, reasons]) =>
    reasons.split(/\s+/).map((reason) => [reason, ending as CallEnding] as const),
  ),
);

/** Returns the group of a reason for which the platform ended a call; null for a reason that is not in the groups. */
export const endingOf = (reason: string): CallEnding | null => ENDING_OF.get(reason) ?? null;
