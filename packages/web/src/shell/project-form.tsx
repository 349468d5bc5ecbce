import { LIMITS } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { lastPlace, rememberPlace } from "./last-place.ts";
import { projectsQuery } from "./projects.ts";

type Project = {
  id: string;
  name: string;
  slug: string;
  retentionDays: number | null;
  versionAttribute: string | null;
};
type ProjectFormProps = {
  organizationId: string;
  /** Undefined for a new project. */
  project?: Project | undefined;
  onDone: (project: Project) => void;
  onClose: () => void;
};

export function ProjectForm({ organizationId, project, onDone, onClose }: ProjectFormProps) {
  const save = useMutation({
    mutationFn: ({ name, slug, days, attribute }: Record<"name" | "slug" | "days" | "attribute", string>) => {
      const { projects } = clientOf(organizationId);
      const retentionDays = days === "" ? null : Number(days);
      const versionAttribute = attribute === "" ? null : attribute;
      const body = { name, ...(slug !== "" && { slug }), retentionDays, versionAttribute };
      return project === undefined ? projects.create(body) : projects.edit({ ...body, projectId: project.id });
    },
    onSuccess: async (answer) => {
      // The links of the menu contain the slug of the last place.
      if (project !== undefined && project.slug === lastPlace([organizationId])?.project)
        rememberPlace({ organizationId, project: answer.project.slug });
      await queries.invalidateQueries({ queryKey: projectsQuery(organizationId).queryKey });
      onDone(answer.project);
    },
  });
  const errors = save.error
    ? formErrorsOf(save.error, ["name", "slug", "retentionDays", "versionAttribute"])
    : NO_ERRORS;
  return (
    <FormDialog
      title={project === undefined ? "New project" : `Change “${project.name}”`}
      lede="A project has its own agents, tests, runs and conversations."
      submit={project === undefined ? "Create project" : "Save"}
      errors={errors}
      busy={save.isPending}
      onSubmit={({ name = "", slug = "", retentionDays = "", versionAttribute = "" }) =>
        save.mutate({ name, slug: slug.trim(), days: retentionDays.trim(), attribute: versionAttribute.trim() })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        autoFocus
        defaultValue={project?.name}
        maxLength={LIMITS.nameCharacters}
        error={errors.fields["name"]}
      />
      <TextField
        label="Slug"
        name="slug"
        autoComplete="off"
        spellCheck={false}
        defaultValue={project?.slug}
        help={
          project === undefined
            ? "The project's name in addresses. The service makes it from the name when it is empty."
            : "The project's name in addresses. Older links stop working when it changes."
        }
        error={errors.fields["slug"]}
      />
      <TextField
        label="Days that conversations stay"
        name="retentionDays"
        type="number"
        min={1}
        max={LIMITS.retentionDays}
        autoComplete="off"
        defaultValue={project?.retentionDays ?? undefined}
        help="Older conversations, with their recordings, are erased for good. Empty: they stay as long as the service keeps conversations."
        error={errors.fields["retentionDays"]}
      />
      <TextField
        label="Attribute with the version of its agents"
        name="versionAttribute"
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.attributeNameCharacters}
        defaultValue={project?.versionAttribute ?? undefined}
        help="Of spans or their resource, before all that the service knows. Empty: svc.agent_version, lk.agent.version, gen_ai.agent.version, what Retell reports, or service.version."
        error={errors.fields["versionAttribute"]}
      />
    </FormDialog>
  );
}
