/**
 * Attributes of a span or its resource that name the conversation, strongest first. The worker helper sets the first;
 * platforms and frameworks send the others.
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

/** The resource attribute that names the service. */
export const SERVICE_KEY = "service.name";

/** Attributes that name the agent, strongest first. */
export const AGENT_KEYS = ["svc.agent_name", "lk.agent_name", "gen_ai.agent.name", "lk.agent_label"];

/** Names of root spans that cover a whole conversation; other root spans cover a part of one. */
export const CONVERSATION_ROOTS = ["job_entrypoint", "agent_session", "conversation", "simulation"];
