import { type Input, LIMITS, type Operations } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { PLATFORM_CHOICES } from "./agent-words.ts";

const FIELDS = ["name", "agentPlatform", "platformAgentId"];
type NewAgentBody = Omit<Input<Operations["agents"]["register"]>, "projectId">;

type NewAgentProps = { name: string | undefined; onClose: () => void };

export function NewAgent({ name: given, onClose }: NewAgentProps) {
  const { client, organizationId, projectId, params } = usePlace();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (body: NewAgentBody) => client.agents.register({ ...body, projectId }),
    onSuccess: async ({ agent }) => {
      await queries.invalidateQueries({ queryKey: [organizationId, projectId, "agents.list"] });
      await navigate({ to: "/o/$organizationId/p/$project/agents/$agentId", params: { ...params, agentId: agent.id } });
    },
  });
  const errors = create.error ? formErrorsOf(create.error, FIELDS) : NO_ERRORS;
  return (
    <FormDialog
      title="New agent"
      lede="Its page then asks how the service reaches it."
      submit="Create agent"
      errors={errors}
      busy={create.isPending}
      onSubmit={({ name = "", agentPlatform, platformAgentId = "" }) =>
        create.mutate({
          name,
          agentPlatform: agentPlatform as NonNullable<NewAgentBody["agentPlatform"]>,
          ...(platformAgentId.trim() !== "" && { platformAgentId }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        autoFocus
        defaultValue={given}
        maxLength={LIMITS.nameCharacters}
        help="Conversations with this agent name belong to the agent."
        error={errors.fields["name"]}
      />
      <Select
        label="Platform"
        name="agentPlatform"
        defaultValue="custom"
        options={PLATFORM_CHOICES}
        help="A custom agent accepts every type of connection."
        error={errors.fields["agentPlatform"]}
      />
      <TextField
        label="Id on the platform"
        name="platformAgentId"
        autoComplete="off"
        spellCheck={false}
        help="Optional. A platform agent exists once in a project."
        error={errors.fields["platformAgentId"]}
      />
    </FormDialog>
  );
}
