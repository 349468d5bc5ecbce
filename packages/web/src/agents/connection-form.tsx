import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { formErrorsOf, NO_ERRORS, useRefusalInView } from "../ui/form.ts";
import { Skeleton } from "../ui/progress.tsx";
import type { Agent } from "./agent-words.ts";
import styles from "./agents.module.css";
import {
  type Connection,
  type ConnectionDraft,
  type ConnectionOption,
  creationOf,
  differencesOf,
  draftOf,
  editOf,
  emptyDraft,
  fieldPathsOf,
  isChanged,
  optionsFor,
} from "./connection-draft.ts";
import { ConnectionFields } from "./connection-fields.tsx";
import { connectionOptionsQuery } from "./queries.ts";
import { currentOf } from "./stale.ts";

type ConnectionFormProps = {
  agent: Agent;
  stored: Connection | undefined;
  onAdded: (connection: Connection) => void;
  onClose: () => void;
};

export function ConnectionForm({ agent, stored, onAdded, onClose }: ConnectionFormProps) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(connectionOptionsQuery(place));
  if (data !== undefined) {
    const options = optionsFor(agent, data.connectionOptions, stored);
    return <OptionsForm agent={agent} stored={stored} options={options} onAdded={onAdded} onClose={onClose} />;
  }
  return (
    <Dialog title="Connection" onClose={onClose}>
      {error ? <Failure error={error} again={refetch} /> : <Skeleton rows={4} />}
    </Dialog>
  );
}

type OptionsFormProps = ConnectionFormProps & { options: readonly ConnectionOption[] };

function OptionsForm({ agent, stored, options, onAdded, onClose }: OptionsFormProps) {
  const { client, organizationId, projectId } = usePlace();
  const [draft, setDraft] = useState<ConnectionDraft>(() => (stored ? draftOf(stored) : emptyDraft(options[0]!)));
  const [seen, setSeen] = useState(stored);
  const save = useMutation({
    mutationFn: (content: ConnectionDraft) => {
      const ids = { projectId, agentId: agent.id };
      if (seen === undefined) return client.connections.create({ ...ids, ...creationOf(content) });
      return client.connections.edit({ ...ids, ...editOf(content, seen, seen.revision), connectionId: seen.id });
    },
    onSuccess: async ({ connection }) => {
      await queries.invalidateQueries({ queryKey: [organizationId, projectId, "connections.list"] });
      onClose();
      if (stored === undefined) onAdded(connection);
    },
  });
  const fields = useRefusalInView<HTMLDivElement>(save.isPending, save.isError);
  const option = options.find(({ connectionType }) => connectionType === draft.connectionType)!;
  const current = currentOf<Connection>(save.error);
  const errors =
    save.error && current === undefined ? formErrorsOf(save.error, fieldPathsOf(draft, option)) : NO_ERRORS;
  const takeCurrent = (content: ConnectionDraft) => {
    setSeen(current);
    setDraft(content);
    save.reset();
  };
  return (
    <Dialog
      title={stored === undefined ? `New connection of ${agent.name}` : `Edit “${stored.name}”`}
      onClose={onClose}
      onSubmit={() => current === undefined && save.mutate(draft)}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            look="primary"
            busy={save.isPending}
            disabled={current !== undefined || (seen !== undefined && !isChanged(draft, seen))}
          >
            {stored === undefined ? "Add connection" : "Save"}
          </Button>
        </>
      }
    >
      <div ref={fields} className={styles["fields"]}>
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        {current && (
          <ConnectionConflict
            draft={draft}
            current={current}
            onKeepMine={() => takeCurrent(draft)}
            onTakeTheirs={() => takeCurrent(draftOf(current))}
          />
        )}
        <ConnectionFields draft={draft} stored={seen} options={options} errors={errors.fields} onChange={setDraft} />
      </div>
    </Dialog>
  );
}

type ConflictProps = {
  draft: ConnectionDraft;
  current: Connection;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
};

function ConnectionConflict({ draft, current, onKeepMine, onTakeTheirs }: ConflictProps) {
  const differences = differencesOf(draft, current);
  return (
    <Notice kind="warning">
      <p>Another person changed this connection while you edited it.</p>
      <dl className={styles["differences"]}>
        {differences.map(({ label, mine, theirs }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>Yours: {mine === "" ? "empty" : <code>{mine}</code>}</dd>
            <dd>Theirs: {theirs === "" ? "empty" : <code>{theirs}</code>}</dd>
          </div>
        ))}
      </dl>
      <div className={styles["buttons"]}>
        <Button small onClick={onTakeTheirs}>
          Continue with theirs
        </Button>
        <Button small onClick={onKeepMine}>
          Continue with mine
        </Button>
      </div>
    </Notice>
  );
}
