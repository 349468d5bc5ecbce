import { LIMITS } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lastPlace } from "../frame/last-place.ts";
import { useOrganization } from "../frame/place.ts";
import { projectsQuery } from "../frame/projects.ts";
import { queries } from "../queries.ts";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { KeySecret } from "./key-secret.tsx";
import { keysQuery } from "./queries.ts";

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
