import { useState } from "react";
import { MockToolFields } from "../../mock-tools/mock-tool-fields.tsx";
import {
  EMPTY_MOCK_TOOL,
  type MockToolDraft,
  type MockToolResult,
  readMockTool,
} from "../../mock-tools/mock-tool-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

type MockToolDialogProps = {
  /** The mock tool to edit; undefined for a new one. */
  draft: MockToolDraft | undefined;
  /** The tools that the test mocks already. */
  taken: readonly string[];
  onDone: (mockTool: MockToolResult) => void;
  onClose: () => void;
};

/** Edits one mock tool of a test. The test's Save stores it. */
export function MockToolDialog({ draft: first = EMPTY_MOCK_TOOL, taken, onDone, onClose }: MockToolDialogProps) {
  const [draft, setDraft] = useState(first);
  const [errors, setErrors] = useState<Partial<Record<"tool" | "json" | "delay", string>>>({});
  const done = () => {
    const read = readMockTool(draft);
    const tool = draft.tool.trim();
    const toolProblem =
      tool === ""
        ? "Write the tool's name."
        : taken.includes(tool)
          ? `The test already mocks the tool "${tool}".`
          : undefined;
    if ("mockTool" in read && toolProblem === undefined) return onDone(read.mockTool);
    setErrors({ ...("problems" in read && read.problems), ...(toolProblem !== undefined && { tool: toolProblem }) });
  };
  return (
    <Dialog
      title={first === EMPTY_MOCK_TOOL ? "New mock tool" : `Mock tool ${first.tool}`}
      onClose={onClose}
      onSubmit={done}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary">
            {first === EMPTY_MOCK_TOOL ? "Add mock tool" : "Change mock tool"}
          </Button>
        </>
      }
    >
      <MockToolFields draft={draft} errors={errors} onChange={setDraft} />
    </Dialog>
  );
}
