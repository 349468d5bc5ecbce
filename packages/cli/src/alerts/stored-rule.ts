import type { AlertRule } from "@svc/contract";
import { argument } from "../flags.ts";
import { idOf } from "../look-up.ts";
import type { Session } from "../session/session.ts";

const RULE = "Id or exact name of the rule, from `svc alert-rules list`.";

export const ruleArgument = () => argument(RULE);

export async function ruleOf(session: Session, idOrName: string): Promise<AlertRule> {
  const alertRuleId = await idOf(session, "alert-rule", idOrName);
  return (await session.client.alertRules.get({ alertRuleId, projectId: session.projectId })).alertRule;
}

type Edit = { enabled?: boolean; mutedUntil?: string | null; mutedAgents?: AlertRule["mutedAgents"] };

export async function editRule(session: Session, idOrName: string, edit: Edit): Promise<AlertRule> {
  const alertRuleId = await idOf(session, "alert-rule", idOrName);
  return (await session.client.alertRules.edit({ ...edit, alertRuleId, projectId: session.projectId })).alertRule;
}
