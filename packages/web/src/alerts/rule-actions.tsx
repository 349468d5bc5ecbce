import type { AlertRule } from "@svc/contract";
import { useMutation } from "@tanstack/react-query";
import { Bell, BellOff, Pause, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { formatPlural } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { agentWords, isMuted } from "./alert-words.ts";
import styles from "./alerts.module.css";
import { MuteDialog } from "./mute-dialog.tsx";

type RuleActionsProps = { rule: AlertRule; small?: boolean; onDeleted?: () => void };

export function RuleActions({ rule, small = false, onDeleted }: RuleActionsProps) {
  const place = usePlace();
  const [asks, setAsks] = useState<"mute" | "delete">();
  const { id, name, enabled, openAlerts } = rule;
  const edit = useMutation({
    mutationFn: (change: { enabled?: boolean; mutedUntil?: null; mutedAgents?: AlertRule["mutedAgents"] }) =>
      place.client.alertRules.edit({ ...change, alertRuleId: id, projectId: place.projectId }),
    onSuccess: () => refresh(place, "alertRules.list", "alertRules.get", "alerts.list"),
  });
  const close = () => setAsks(undefined);
  return (
    <>
      <Menu label={`More about ${name}`} small={small}>
        {isMuted(rule) ? (
          <MenuItem icon={Bell} onSelect={() => edit.mutate({ mutedUntil: null })}>
            End the mute
          </MenuItem>
        ) : (
          <MenuItem icon={BellOff} onSelect={() => setAsks("mute")}>
            Mute…
          </MenuItem>
        )}
        {rule.mutedAgents.map(({ agentName }) => (
          <MenuItem
            key={agentName}
            icon={Bell}
            onSelect={() =>
              edit.mutate({ mutedAgents: rule.mutedAgents.filter((muted) => muted.agentName !== agentName) })
            }
          >
            End the mute of {agentWords(agentName)}
          </MenuItem>
        ))}
        <MenuItem icon={enabled ? Pause : Play} onSelect={() => edit.mutate({ enabled: !enabled })}>
          {enabled ? "Disable" : "Enable"}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setAsks("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {edit.error && (
        <span className={styles["bad"]} role="alert">
          {edit.error.message}
        </span>
      )}
      {asks === "mute" && <MuteDialog rule={rule} onClose={close} />}
      {asks === "delete" && (
        <ConfirmDialog
          title={
            <>
              Delete the alert rule “<bdi>{name}</bdi>”?
            </>
          }
          action="Delete rule"
          act={async () => {
            await place.client.alertRules.delete({ alertRuleId: id, projectId: place.projectId });
            await refresh(place, "alertRules.list", "alerts.list");
          }}
          onDone={() => {
            close();
            onDeleted?.();
          }}
          onClose={close}
        >
          Its alerts are deleted with it{openAlerts > 0 && `, also ${formatPlural(openAlerts, "open one")}`}. To keep
          them, disable the rule.
        </ConfirmDialog>
      )}
    </>
  );
}
