import type { VoiceAgent } from "@svc/server/voice-agent";

/** The agent ends with the process. */
export async function startVoiceAgent(): Promise<VoiceAgent> {
  const agents = await import("@svc/server/voice-agent");
  return agents.startVoiceAgent();
}
