import type { AlertRule } from "@svc/contract";
import { badWhenText, READY_ALERT_RULES, type ReadyAlertRule, readyAlertRule } from "@svc/contract/constants";
import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Failure } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";
import { windowWords } from "./alert-words.ts";
import styles from "./alerts.module.css";

export function ReadyRules({ rules }: { rules: readonly AlertRule[] }) {
  const place = usePlace();
  const showToast = useToast();
  const names = new Set(rules.map(({ name }) => name));
  const left = (Object.keys(READY_ALERT_RULES) as ReadyAlertRule[]).filter(
    (ready) => !names.has(READY_ALERT_RULES[ready].name),
  );
  const add = useMutation({
    mutationFn: (ready: ReadyAlertRule) =>
      place.client.alertRules.create({ ...readyAlertRule(ready), projectId: place.projectId }),
    onSuccess: async ({ alertRule }) => {
      await refresh(place, "alertRules.list", "alerts.list");
      showToast(`“${alertRule.name}” watches every agent now.`);
    },
  });
  if (left.length === 0 || !place.canWrite) return null;
  return (
    <div>
      {add.error && <Failure error={add.error} />}
      <ul className={styles["ready"]} aria-label="Ready rules">
        {left.map((ready) => {
          const { name } = READY_ALERT_RULES[ready];
          const isAdding = add.isPending && add.variables === ready;
          return (
            <li key={ready}>
              <button type="button" aria-busy={isAdding} onClick={() => add.isPending || add.mutate(ready)}>
                <Plus size={16} strokeWidth={1.75} aria-hidden />
                <span>
                  <b>
                    <span className="visually-hidden">Add </span>
                    {name}
                  </b>
                  <span className={styles["muted"]}>
                    {badWhenText(readyAlertRule(ready))} in {windowWords(READY_ALERT_RULES[ready].windowMinutes)}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
