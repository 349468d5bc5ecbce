import type { AlertRule } from "@svc/contract";
import { badWhenText } from "@svc/contract/constants";
import { Link } from "@tanstack/react-router";
import { BellOff, Check, CircleAlert, CircleDashed, type LucideIcon, Pause } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { Chip } from "../ui/chip.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { isMuted, stateOfRule, windowWords } from "./alert-words.ts";
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

const STATES: Record<
  ReturnType<typeof stateOfRule>,
  { tone: "passed" | "plain" | "failed"; icon: LucideIcon; word: string }
> = {
  disabled: { tone: "plain", icon: Pause, word: "Disabled" },
  open: { tone: "failed", icon: CircleAlert, word: "Bad" },
  new: { tone: "plain", icon: CircleDashed, word: "Nothing judged yet" },
  good: { tone: "passed", icon: Check, word: "No open alert" },
};

export function RuleStateChip({ rule }: { rule: AlertRule }) {
  const { tone, icon, word } = STATES[stateOfRule(rule)];
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
