import { SvcError } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mockToolsQuery } from "../agents/queries.ts";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { MockToolFields } from "./mock-tool-fields.tsx";
import { EMPTY_MOCK_TOOL, mockToolDraftOf, type MockToolResult, readMockTool } from "./mock-tool-text.ts";
import styles from "./mock-tools.module.css";
import { agentNamesQuery, type ProjectMockTool } from "./queries.ts";

const FIELDS: Record<string, keyof MockToolErrors> = {
  tool: "tool",
  answer: "json",
  error: "error",
  delayMs: "delay",
  succeedsWhen: "succeedsWhen",
};

type MockToolDialogProps = {
  /** Undefined for a new mock tool. */
  mockTool?: ProjectMockTool;
  onClose: () => void;
};

export function MockToolDialog({ mockTool, onClose }: MockToolDialogProps) {
  const place = usePlace();
  const { data: agents = [] } = useQuery(agentNamesQuery(place));
  const [draft, setDraft] = useState(mockTool === undefined ? EMPTY_MOCK_TOOL : mockToolDraftOf(mockTool));
  const [agentIds, setAgentIds] = useState(mockTool?.agentIds ?? []);
  const [errors, setErrors] = useState<MockToolErrors>({});
  const { mutate, isPending } = useMutation({
    mutationFn: (result: MockToolResult) => {
      const fields = { ...result, agentIds, projectId: place.projectId };
      return mockTool === undefined
        ? place.client.mockTools.create(fields)
        : place.client.mockTools.edit({ succeedsWhen: null, ...fields, mockToolId: mockTool.id });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: mockToolsQuery(place).queryKey });
      onClose();
    },
    onError: (error) => setErrors(mockToolErrorsOf(error)),
  });
  const save = () => {
    const read = readMockTool(draft);
    if ("problems" in read) setErrors(read.problems);
    else mutate(read.mockTool);
  };
  return (
    <Dialog
      title={mockTool === undefined ? "New mock tool" : `Mock tool ${mockTool.tool}`}
      onClose={onClose}
      onSubmit={save}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={isPending}>
            {mockTool === undefined ? "Create mock tool" : "Save mock tool"}
          </Button>
        </>
      }
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      <MockToolFields draft={draft} errors={errors} onChange={setDraft} />
      <fieldset className={styles["agents"]}>
        <legend>Agents</legend>
        <p className={styles["help"]}>
          {agentIds.length === 0
            ? "It applies to every agent of the project. Choose agents to apply it only to them."
            : "It applies only to these agents."}
        </p>
        <div className={styles["list"]}>
          {agents.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={agentIds.includes(id)}
              onChange={({ target }) =>
                setAgentIds(target.checked ? [...agentIds, id] : agentIds.filter((one) => one !== id))
              }
            />
          ))}
        </div>
      </fieldset>
    </Dialog>
  );
}

/** The errors by field. `form` has an error that belongs to no field. */
type MockToolErrors = Partial<Record<"tool" | "json" | "error" | "delay" | "succeedsWhen" | "form", string>>;

function mockToolErrorsOf(error: unknown): MockToolErrors {
  if (!(error instanceof SvcError)) return { form: String((error as Error).message) };
  if (error.code === "name_taken") return { tool: error.message };
  const { issues = [] } = error.details as { issues?: { path: string; message: string }[] };
  const errors: MockToolErrors = {};
  for (const { path, message } of issues) {
    const [first = ""] = path.split(".");
    const field = FIELDS[first];
    if (field !== undefined) errors[field] ??= message;
  }
  return Object.keys(errors).length > 0 ? errors : { form: error.message };
}
