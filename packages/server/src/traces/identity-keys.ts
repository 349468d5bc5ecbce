/**
 * Attributes that name the conversation a span belongs to, strongest first; on a span or on its resource. A worker
 * stamps the first; the others are what platforms and frameworks send by themselves.
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

/** Names of the root spans that stand for a whole conversation; others are of a part, such as the end of an activity. */
export const CONVERSATION_ROOTS = ["job_entrypoint", "agent_session", "conversation", "simulation"];
