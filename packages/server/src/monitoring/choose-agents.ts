import type { PlatformAClient, VoiceAgent } from "./platform-a/client.ts";
import { PlatformFailure } from "./platform-a/failure.ts";
import { READING, refusalOf } from "./rules.ts";

const LISTING = { right: "read agents" };

/** The voice agents that the key reads, by name. */
export async function listAgents(client: PlatformAClient): Promise<VoiceAgent[]> {
  const agents = await asking(LISTING, client.listVoiceAgents());
  return agents.sort((a, b) => a.name.localeCompare(b.name, "en") || (a.id < b.id ? -1 : 1));
}

/** The chosen agents, each once and under the platform's current name, when the key reads them and call history. */
export async function verifyAgents(client: PlatformAClient, chosenIds: readonly string[]): Promise<VoiceAgent[]> {
  const [, ...agents] = await Promise.all([
    asking(READING, client.checkHistory()),
    ...[...new Set(chosenIds)].map((id) => asking({ ...LISTING, agentId: id }, client.agent(id))),
  ]);
  return agents;
}

async function asking<T>(asked: Parameters<typeof refusalOf>[1], answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof PlatformFailure ? refusalOf(error, asked) : error;
  }
}
