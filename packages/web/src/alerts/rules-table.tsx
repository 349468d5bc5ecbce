import type { AlertRule } from "@svc/contract";
import { badWhenText } from "@svc/contract/constants";
import { Link } from "@tanstack/react-router";
import { BellOff, Check, CircleAlert, CircleDashed, type LucideIcon, Pause } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { Chip } from "../ui/chip.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { agentWords, isMuted, muteOf, windowWords } from "./alert-words.ts";
import styles from "./alerts.module.css";
import { RuleActions } from "./rule-actions.tsx";

export function RulesTable({ rules }: { rules: readonly AlertRule[] }) {
  const { params, canWrite } = usePlace();
  return (
    <Table
      label="Alert rules"
      stacked
      columns={[
        { head: "Rule", width: "46%" },
        { head: "State", width: "24%" },
        { head: "Agents" },
        { head: <span className="visually-hidden">Actions</span> },
      ]}
    >
      {rules.map((rule) => (
        <tr key={rule.id}>
          <td className={tables["name"]}>
            <div className={styles["cell"]}>
              <Link
                to="/o/$organizationId/p/$project/alerts/rules/$alertRuleId"
                params={{ ...params, alertRuleId: rule.id }}
              >
                <UserText inline text={rule.name} />
              </Link>
              <div className={styles["muted"]}>
                <UserText inline text={badWhenText(rule)} /> in {windowWords(rule.windowMinutes)}
              </div>
            </div>
          </td>
          <td>
            <div className={styles["cell"]}>
              <RuleStateChip rule={rule} />
              {isMuted(rule) && (
                <div className={styles["muted"]}>
                  Muted until <Time at={rule.mutedUntil} absolute />
                </div>
              )}
              {mutesOf(rule).map(({ agentName, until }) => (
                <div key={agentName} className={styles["muted"]}>
                  <UserText inline text={agentWords(agentName)} /> muted until <Time at={until} absolute />
                </div>
              ))}
            </div>
          </td>
          <td>
            <div className={styles["cell"]}>
              {rule.agents.length === 0 ? "Every agent" : <UserText inline text={rule.agents.join(", ")} />}
            </div>
          </td>
          {canWrite && (
            <td className={tables["end"]}>
              <RuleActions rule={rule} small />
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

const mutesOf = (rule: AlertRule) => rule.mutedAgents.filter(({ agentName }) => muteOf(rule, agentName) !== undefined);

const STATES: Record<
  AlertRule["state"],
  { tone: "passed" | "plain" | "warning" | "failed"; icon: LucideIcon; word: string }
> = {
  disabled: { tone: "plain", icon: Pause, word: "Disabled" },
  open: { tone: "failed", icon: CircleAlert, word: "Bad" },
  not_judged: { tone: "plain", icon: CircleDashed, word: "Nothing judged yet" },
  bad: { tone: "warning", icon: CircleAlert, word: "Bad, but not often enough in a row" },
  good: { tone: "passed", icon: Check, word: "No open alert" },
  too_few: { tone: "plain", icon: CircleDashed, word: "Too few samples" },
  no_data: { tone: "plain", icon: CircleDashed, word: "No samples" },
};

export function RuleStateChip({ rule }: { rule: AlertRule }) {
  const { tone, icon, word } = STATES[rule.state];
  return (
    <span className={styles["chips"]}>
      <Chip tone={tone} icon={icon}>
        {rule.openAlerts > 1 && rule.enabled ? `${word} for ${rule.openAlerts} agents` : word}
      </Chip>
      {isMuted(rule) && (
        <Chip tone="warning" icon={BellOff}>
          Muted
        </Chip>
      )}
    </span>
  );
}
