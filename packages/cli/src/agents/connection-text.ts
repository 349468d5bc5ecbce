import type { Answer, Operations } from "@svc/contract";
import { platformName } from "@svc/contract/constants";
import { facts, paint } from "../terminal/output.ts";
import { ago } from "../terminal/times.ts";

type Connection = Answer<Operations["connections"]["get"]>["connection"];
type Agent = Answer<Operations["agents"]["get"]>["agent"];

const archivedText = ({ archivedAt }: { archivedAt: string | null }) =>
  archivedAt === null ? undefined : `archived ${ago(archivedAt)}`;

export function agentText(agent: Agent): string {
  const title = [paint.bold(agent.name), archivedText(agent)].filter(Boolean).join("  ");
  const details = facts([
    ["Id", agent.id],
    ["Platform", platformName(agent.agentPlatform)],
    ["Platform id", agent.platformAgentId ?? undefined],
    ["Modality", agent.platformAModality ?? undefined],
    ["Monitoring", agent.monitoringConfigured ? monitoringText(agent) : "not set up"],
    ["Registered", ago(agent.createdAt)],
  ]);
  return `${title}\n\n${details}`;
}

function monitoringText({ monitoringApiKeyHint, pullProductionCalls, lastReceivedAt }: Agent): string {
  return [
    pullProductionCalls ? "imports its calls" : "does not import its calls",
    monitoringApiKeyHint === null ? "no key" : `key …${monitoringApiKeyHint}`,
    lastReceivedAt === null ? "no conversation yet" : `last conversation ${ago(lastReceivedAt)}`,
  ].join(", ");
}

export const credentialText = ({ credentialPresent, credentialsHint }: Connection): string =>
  credentialPresent ? `…${credentialsHint}` : "none";

export function connectionText(connection: Connection): string {
  const title = [paint.bold(connection.name), archivedText(connection)].filter(Boolean).join("  ");
  const details = facts([
    ["Id", connection.id],
    ["Agent", connection.agentId],
    ["Type", `${connection.connectionType} (${connection.productLabel})`],
    ["Access", connection.accessVariant],
    ["Modality", `${connection.modality}, ${connection.topology}`],
    ["Environment", connection.environment],
    ...Object.entries(connection.config).map(([name, value]): [string, string] => [name, String(value)]),
    ["Credential", credentialText(connection)],
    ["Edited", ago(connection.updatedAt)],
  ]);
  return `${title}\n\n${details}`;
}
