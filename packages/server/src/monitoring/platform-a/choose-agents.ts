import type { PlatformAClient, VoiceAgent } from "./client.ts";
import { PlatformError } from "./platform-error.ts";
import { READ_HISTORY, refusalOf } from "../refusal-rules.ts";

const READ_AGENTS = { permission: "read agents" };

export async function listAgents(client: PlatformAClient): Promise<VoiceAgent[]> {
  const agents = await withRefusals(READ_AGENTS, client.listVoiceAgents());
  return agents.sort((a, b) => a.name.localeCompare(b.name, "en") || (a.id < b.id ? -1 : 1));
}

export async function verifyAgents(client: PlatformAClient, chosenIds: readonly string[]): Promise<VoiceAgent[]> {
  const [, ...agents] = await Promise.all([
    withRefusals(READ_HISTORY, client.checkHistory()),
    ...[...new Set(chosenIds)].map((id) => withRefusals({ ...READ_AGENTS, agentId: id }, client.getAgent(id))),
  ]);
  return agents;
}

async function withRefusals<T>(request: Parameters<typeof refusalOf>[1], answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof PlatformError ? refusalOf(error, request) : error;
  }
}
