import { type Answer, LIMITS, type Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lastPlace } from "../shell/last-place.ts";
import { useOrganization } from "../shell/place.ts";
import { projectsQuery } from "../shell/projects.ts";
import { queries } from "../queries.ts";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { keysQuery } from "./queries.ts";
import { Button } from "../ui/button.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { commandLines, keyName, workerLines } from "./key-reach.ts";
import { Secret } from "./secret.tsx";
import styles from "./settings.module.css";

const WHOLE_ORGANIZATION = "organization";

/** Creates a key, then shows its secret. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const { client, organizationId, role } = useOrganization();
  const { data } = useQuery(projectsQuery(organizationId));
  const create = useMutation({
    mutationFn: ({ name, reach }: { name: string; reach: string }) =>
      client.keys.create({ ...(name !== "" && { name }), ...(reach !== WHOLE_ORGANIZATION && { project_id: reach }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(organizationId).queryKey }),
  });
  if (create.data) return <KeySecret created={create.data} onClose={onClose} />;
  const projects = data?.projects ?? [];
  const recent = projects.find(({ slug }) => slug === lastPlace([organizationId])?.project) ?? projects[0];
  const errors = create.error ? formErrorsOf(create.error, ["name", "project_id"]) : NO_ERRORS;
  return (
    <FormDialog
      title="New API key"
      lede={`The key has your role, ${role}, and follows it when it changes.`}
      submit="Create key"
      errors={errors}
      busy={create.isPending}
      onSubmit={({ name = "", reach = "" }) => create.mutate({ name: name.trim(), reach })}
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
        key={recent?.id}
        label="Reach"
        name="reach"
        defaultValue={recent?.id ?? WHOLE_ORGANIZATION}
        help="A worker that sends conversations needs a key of one project."
        error={errors.fields["project_id"]}
        options={[
          ...projects.map(({ id, name }) => ({ value: id as string, label: `Project ${name}` })),
          { value: WHOLE_ORGANIZATION, label: "The whole organization" },
        ]}
      />
    </FormDialog>
  );
}

type KeySecretProps = { created: Answer<Operations["keys"]["create"]>; onClose: () => void };

/** Shows the secret of a new key, once. Only the button closes the dialog. */
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
    {created.scope === "project" && (
      <div className={styles["lines"]}>
        <p className={styles["label"]}>In a worker’s environment</p>
        <CopyLine text={workerLines(location.origin, created.secret)} label="Copy the lines for a worker" />
      </div>
    )}
    <div className={styles["lines"]}>
      <p className={styles["label"]}>In a shell, for the command line</p>
      <CopyLine text={commandLines(location.origin, created.secret)} label="Copy the lines for a shell" />
    </div>
  </Dialog>
);
