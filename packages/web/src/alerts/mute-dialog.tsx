import type { AlertRule } from "@svc/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { formatMoment } from "../ui/format.ts";
import { useToast } from "../ui/toast.tsx";
import { agentWords } from "./alert-words.ts";

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: "1", label: "For an hour" },
  { value: "4", label: "For 4 hours" },
  { value: "24", label: "For a day" },
  { value: String(7 * 24), label: "For 7 days" },
  { value: "time", label: "Until a time" },
];

/** With `agentName`, mutes only this agent of the rule. */
type MuteDialogProps = { rule: AlertRule; agentName?: string | null; onClose: () => void };

export function MuteDialog({ rule, agentName, onClose }: MuteDialogProps) {
  const place = usePlace();
  const showToast = useToast();
  const [span, setSpan] = useState("4");
  const [problem, setProblem] = useState<string>();
  const mute = useMutation({
    mutationFn: (untilMs: number) =>
      place.client.alertRules.edit({
        alertRuleId: rule.id,
        projectId: place.projectId,
        ...muteUntil(rule, agentName, new Date(untilMs).toISOString()),
      }),
    onSuccess: async ({ alertRule }, untilMs) => {
      await refresh(place, "alertRules.list", "alertRules.get");
      const of = agentName === undefined ? "" : ` of ${agentWords(agentName)}`;
      showToast(`“${alertRule.name}” tells nobody${of} until ${formatMoment(new Date(untilMs).toISOString())}.`);
      onClose();
    },
  });
  const errors = mute.error ? formErrorsOf(mute.error, []) : NO_ERRORS;
  return (
    <FormDialog
      title={
        <>
          Mute “<bdi>{rule.name}</bdi>”
          {agentName !== undefined && (
            <>
              {" "}
              for <bdi>{agentWords(agentName)}</bdi>
            </>
          )}
        </>
      }
      lede={
        agentName === undefined
          ? "Its alerts are still recorded and shown here. Nobody is told about them, not even afterwards."
          : "Alerts of this agent are still recorded and shown here. Nobody is told about them, not even afterwards."
      }
      submit="Mute"
      errors={problem === undefined ? errors : { ...errors, fields: { time: problem } }}
      busy={mute.isPending}
      onSubmit={({ time = "" }) => {
        const untilMs = span === "time" ? Date.parse(time) : Date.now() + Number(span) * HOUR_MS;
        const isLater = untilMs > Date.now();
        setProblem(isLater ? undefined : "Choose a time in the future.");
        if (isLater) mute.mutate(untilMs);
      }}
      onClose={onClose}
    >
      <Select
        label="How long"
        options={SPANS}
        value={span}
        autoFocus
        onChange={({ target }) => setSpan(target.value)}
      />
      {span === "time" && <TextField label="Until" name="time" type="datetime-local" error={problem} />}
    </FormDialog>
  );
}

function muteUntil({ mutedAgents }: AlertRule, agentName: string | null | undefined, until: string) {
  if (agentName === undefined) return { mutedUntil: until };
  return { mutedAgents: [...mutedAgents.filter((muted) => muted.agentName !== agentName), { agentName, until }] };
}
