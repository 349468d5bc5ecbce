/**
 * The attributes of a span or its resource that name its conversation, strongest first. Agents set the first attribute for this
 * service. Platforms and frameworks set the other attributes by themselves.
 */
export const CONVERSATION_KEYS = [
  "svc.session_id",
  "lk.job_id",
  "job_id",
  "room_id",
  "gen_ai.conversation.id",
  "session.id",
  "conversation.id",
];

/** The attributes that name the room or the session of a conversation, which several conversations may share. */
export const ROOM_KEYS = [
  "svc.room_name",
  "lk.room_name",
  "lk.pii.room_name",
  "lk.room_id",
  "room_name",
  "room.name",
  "session_id",
  "call_id",
  "lk.participant_identity",
];

export const ATTEMPT_KEY = "svc.simulation_attempt";

export const SERVICE_KEY = "service.name";

/** The attributes that name the agent, strongest first. */
export const AGENT_KEYS = ["svc.agent_name", "lk.agent_name", "gen_ai.agent.name", "lk.agent_label"];

/** The attributes that name the agent's version, strongest first. */
export const VERSION_KEYS = ["svc.agent_version", "lk.agent.version", "gen_ai.agent.version"];

/** The attribute whose value counts as the agent's version when no other attribute names the version. */
export const SERVICE_VERSION_KEY = "service.version";

/** The names of root spans that cover a whole conversation. Other root spans cover only a part of it. */
export const CONVERSATION_ROOTS = ["job_entrypoint", "agent_session", "conversation", "simulation"];
