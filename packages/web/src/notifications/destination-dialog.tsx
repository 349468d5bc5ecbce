import { type DestinationKind, EVENT_MEANINGS, EVENT_TYPES, LIMITS } from "@svc/contract/constants";
import type { Destination } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Checkbox } from "../ui/check.tsx";
import { classes } from "../ui/classes.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Backticked } from "../ui/user-text.tsx";
import { freeName, KINDS } from "./destination-words.ts";
import styles from "./notifications.module.css";
import { agentNamesQuery, destinationsQuery, type SubscribedType } from "./queries.ts";

type DestinationDialogProps = {
  /** Kind of the new destination, or the destination to edit. */
  of: DestinationKind | Destination;
  /** Event types that are selected at first for a new destination. */
  eventTypes?: readonly SubscribedType[];
  onClose: () => void;
  /** Only a webhook has a secret. */
  onCreated: (destination: Destination, secret: string | null) => void;
};

type Wanted = {
  name: string;
  url?: string;
  email?: string;
  eventTypes: SubscribedType[];
  agents: string[];
  quotes?: boolean;
};

export function DestinationDialog({
  of,
  eventTypes: firstTypes = ["run.completed"],
  onClose,
  onCreated,
}: DestinationDialogProps) {
  const place = usePlace();
  const { client, projectId, user } = place;
  const edited = typeof of === "string" ? undefined : of;
  const { data: destinations = [] } = useQuery(destinationsQuery(place));
  const kind = typeof of === "string" ? of : of.kind;
  const [typedName, setName] = useState(edited?.name);
  const [eventTypes, setEventTypes] = useState<readonly SubscribedType[]>(edited?.eventTypes ?? firstTypes);
  const [agents, setAgents] = useState<readonly string[]>(edited?.agents ?? []);
  const hadQuotes = edited?.quotes ?? false;
  const [quotes, setQuotes] = useState(hadQuotes);
  const [isWithoutEvent, setWithoutEvent] = useState(false);
  const name =
    typedName ??
    freeName(
      kind,
      destinations.map((each) => each.name),
    );
  const save = useMutation({
    mutationFn: async (wanted: Wanted) => {
      if (edited !== undefined) {
        await client.destinations.edit({ ...wanted, projectId, destinationId: edited.id });
        return undefined;
      }
      return client.destinations.create({ ...wanted, projectId, kind });
    },
    onSuccess: async (created) => {
      await refresh(place, "destinations.list");
      if (created === undefined) onClose();
      else onCreated(created.destination, created.secret);
    },
  });
  const errors = isWithoutEvent
    ? { fields: {}, form: "Choose at least one type of event." }
    : save.error
      ? formErrorsOf(save.error, ["name", "url", "email"])
      : NO_ERRORS;
  return (
    <FormDialog
      title={
        edited === undefined ? (
          KINDS[kind].new
        ) : (
          <>
            Destination “<bdi>{edited.name}</bdi>”
          </>
        )
      }
      lede={KINDS[kind].help}
      submit={edited === undefined ? "Create destination" : "Save destination"}
      errors={errors}
      busy={save.isPending}
      onSubmit={({ url = "", email = "" }) => {
        setWithoutEvent(eventTypes.length === 0);
        if (eventTypes.length === 0) return;
        save.mutate({
          name: name.trim(),
          ...(url.trim() !== "" && { url: url.trim() }),
          ...(email.trim() !== "" && { email: email.trim() }),
          eventTypes: EVENT_TYPES.filter((type) => eventTypes.includes(type)),
          agents: [...agents],
          ...(quotes !== hadQuotes && { quotes }),
        });
      }}
      onClose={onClose}
    >
      <Address kind={kind} edited={edited} email={user.email} errors={errors.fields} />
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={LIMITS.nameCharacters}
        value={name}
        error={errors.fields["name"]}
        onChange={({ target }) => setName(target.value)}
      />
      <Choices
        legend="It receives"
        options={EVENT_TYPES.map((type) => ({
          value: type,
          label: <code>{type}</code>,
          help: <Backticked text={EVENT_MEANINGS[type]} />,
        }))}
        chosen={eventTypes}
        onChange={setEventTypes}
      />
      <Agents chosen={agents} onChange={setAgents} />
      {kind !== "webhook" && (
        <Checkbox
          label="Quote conversations"
          help="A message about a failure then has the words that decided it, at most 300 characters. The words of callers leave the service."
          checked={quotes}
          onChange={({ target }) => setQuotes(target.checked)}
        />
      )}
    </FormDialog>
  );
}

type AddressProps = {
  kind: DestinationKind;
  edited: Destination | undefined;
  /** Address of the signed-in person. */
  email: string;
  errors: Record<string, string>;
};

function Address({ kind, edited, email, errors }: AddressProps) {
  if (kind === "email")
    return (
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        autoFocus
        defaultValue={edited?.address ?? email}
        help="Mail goes to members of the organization only."
        error={errors["email"] ?? errors["url"]}
      />
    );
  const isSlack = kind === "slack";
  return (
    <TextField
      label={isSlack ? "Address of Slack’s incoming webhook" : "Address"}
      name="url"
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      autoFocus
      maxLength={LIMITS.destinationUrlCharacters}
      {...(!isSlack && edited !== undefined && { defaultValue: edited.address })}
      placeholder={isSlack ? "https://hooks.slack.com/services/…" : "https://example.com/hooks/svc"}
      help={
        isSlack
          ? edited === undefined
            ? "Slack shows it in the settings of an app, under Incoming Webhooks. The service keeps it sealed."
            : `The stored address ends with ${edited.address}. An empty field keeps it.`
          : undefined
      }
      error={errors["url"] ?? errors["email"]}
    />
  );
}

type ChoicesProps<T extends string> = {
  legend: string;
  help?: string;
  options: readonly { value: T; label: ReactNode; help?: ReactNode }[];
  chosen: readonly T[];
  onChange: (chosen: T[]) => void;
  /** Whether the list scrolls. */
  isLong?: boolean;
};

function Choices<T extends string>({ legend, help, options, chosen, onChange, isLong }: ChoicesProps<T>) {
  return (
    <fieldset className={styles["choices"]}>
      <legend>{legend}</legend>
      {help !== undefined && <p className={styles["help"]}>{help}</p>}
      <div className={classes(styles["options"], isLong && styles["long"])}>
        {options.map(({ value, label, help: about }) => (
          <Checkbox
            key={value}
            label={label}
            help={about}
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function Agents({ chosen, onChange }: { chosen: readonly string[]; onChange: (chosen: string[]) => void }) {
  const { data: names = [] } = useQuery(agentNamesQuery(usePlace()));
  const all = [...new Set([...names, ...chosen])];
  if (all.length === 0) return null;
  return (
    <Choices
      legend="Agents"
      help={
        chosen.length === 0
          ? "It gets the events of every agent. Choose agents to get only theirs."
          : "It gets the events of these agents, and those that concern no agent."
      }
      options={all.map((value) => ({ value, label: <bdi>{value}</bdi> }))}
      chosen={chosen}
      onChange={onChange}
      isLong
    />
  );
}
