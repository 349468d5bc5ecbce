import { workerVariables } from "@svc/contract/constants";
import { type Answer, KEY_PERMISSIONS, type KeyPermission, LIMITS, type Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lastPlace } from "../shell/last-place.ts";
import { useOrganization } from "../shell/place.ts";
import { projectsQuery } from "../shell/projects.ts";
import { queries } from "../queries.ts";
import { RadioGroup } from "../ui/check.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { keysQuery } from "./queries.ts";
import { Button } from "../ui/button.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { choicesOf, commandLines, keyName, PERMISSION_WORDS } from "./key-reach.ts";
import { Secret } from "./secret.tsx";
import styles from "./settings.module.css";

const WHOLE_ORGANIZATION = "organization";
const DAY_MS = 24 * 3600 * 1000;
const LIVES = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

type Wanted = { name: string; reach: string; permission: KeyPermission; days: string };

export function NewKey({ onClose }: { onClose: () => void }) {
  const { client, organizationId, role } = useOrganization();
  const { data } = useQuery(projectsQuery(organizationId));
  const [chosenReach, setReach] = useState<string>();
  const [chosen, setPermission] = useState<KeyPermission>();
  const create = useMutation({
    mutationFn: ({ name, reach, permission, days }: Wanted) =>
      client.keys.create({
        permissions: [permission],
        ...(name !== "" && { name }),
        ...(reach !== WHOLE_ORGANIZATION && { project_id: reach }),
        ...(days !== "" && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(organizationId).queryKey }),
  });
  if (create.data) return <KeySecret created={create.data} onClose={onClose} />;
  const projects = data?.projects ?? [];
  const recent = projects.find(({ slug }) => slug === lastPlace([organizationId])?.project) ?? projects[0];
  const reach = chosenReach ?? recent?.id ?? WHOLE_ORGANIZATION;
  const choices = choicesOf(role, reach !== WHOLE_ORGANIZATION);
  const permission = chosen !== undefined && choices.includes(chosen) ? chosen : choices[0]!;
  const errors = create.error ? formErrorsOf(create.error, ["name", "project_id", "expires_at"]) : NO_ERRORS;
  return (
    <FormDialog
      title="New API key"
      lede={`The key never does more than your role, ${role}, and follows it when it changes.`}
      submit="Create key"
      errors={errors}
      busy={create.isPending}
      onSubmit={({ name = "", days = "" }) => create.mutate({ name: name.trim(), reach, permission, days })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        autoFocus
        maxLength={LIMITS.nameCharacters}
        placeholder="worker in production"
        error={errors.fields["name"]}
      />
      <Select
        label="Reach"
        name="reach"
        value={reach}
        onChange={({ target }) => setReach(target.value)}
        help="A worker that sends conversations needs a key of one project."
        error={errors.fields["project_id"]}
        options={[
          ...projects.map(({ id, name }) => ({ value: id as string, label: `Project ${name}` })),
          { value: WHOLE_ORGANIZATION, label: "The whole organization" },
        ]}
      />
      <RadioGroup
        legend="It may"
        options={choices.map((name) => ({
          value: name,
          label: PERMISSION_WORDS[name],
          help: KEY_PERMISSIONS[name].meaning,
        }))}
        value={permission}
        onChange={setPermission}
      />
      <Select
        label="Expires"
        name="days"
        defaultValue=""
        help={`The service warns its admins ${LIMITS.keyEndNoticeDays} days before.`}
        error={errors.fields["expires_at"]}
        options={LIVES}
      />
    </FormDialog>
  );
}

type KeySecretProps = { created: Answer<Operations["keys"]["create"]>; onClose: () => void };

const sendsSpans = ({ scope, permissions }: KeySecretProps["created"]) =>
  scope === "project" && permissions.some((name) => name !== "read" && name !== "test");

/** The service never shows the secret again, so only the button closes the dialog. */
const KeySecret = ({ created, onClose }: KeySecretProps) => (
  <Dialog
    title={`The key “${keyName(created)}” is created`}
    lede="The service shows its secret only now, because it keeps only a fingerprint of it."
    footer={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    <Secret text={created.secret} />
    {sendsSpans(created) && (
      <div className={styles["lines"]}>
        <p className={styles["label"]}>In a worker’s environment</p>
        <CopyLine text={workerVariables("otlp", location.origin, created.secret)} label="Copy the lines for a worker" />
      </div>
    )}
    {!created.permissions.includes("ingest") && (
      <div className={styles["lines"]}>
        <p className={styles["label"]}>In a shell, for the command line</p>
        <CopyLine text={commandLines(location.origin, created.secret)} label="Copy the lines for a shell" />
      </div>
    )}
  </Dialog>
);
