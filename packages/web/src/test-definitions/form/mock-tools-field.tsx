import { Plus, X } from "lucide-react";
import { useState } from "react";
import {
  EMPTY_MOCK_TOOL,
  type MockToolDraft,
  mockToolDraftOf,
  type MockToolResult,
  readMockTool,
} from "../../mock-tools/mock-tool-text.ts";
import { Button } from "../../ui/button.tsx";
import { Table, tables } from "../../ui/table.tsx";
import type { TestMockTool } from "../test-content.ts";
import styles from "./mock-tools-field.module.css";
import { MockToolFields } from "../../mock-tools/mock-tool-fields.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const COLUMNS = [{ head: "Tool" }, { head: "Answer", width: "60%" }, { head: "Delay", numeric: true }];

type MockToolsFieldProps = {
  mockTools: readonly TestMockTool[];
  errors: Readonly<Record<number, string>>;
  onChange: ((mockTools: TestMockTool[]) => void) | undefined;
};

/** These mock tools answer the agent's tool calls in this test only. */
export function MockToolsField({ mockTools, errors, onChange }: MockToolsFieldProps) {
  const [edited, setEdited] = useState<number | "new">();
  const shown = typeof edited === "number" ? mockTools[edited] : undefined;
  return (
    <section aria-labelledby="tools-answer">
      <h3 id="tools-answer">Answers of tools</h3>
      <p className={styles["help"]}>
        A mock tool of the test replaces the project's mock tool of the same name. The service calls no tool without
        one, so that its call fails; an agent that runs its own tools uses its real one.
      </p>
      {mockTools.length > 0 && (
        <Table label="Mock tools of the test" columns={onChange ? [...COLUMNS, { head: "" }] : COLUMNS} dense>
          {mockTools.map((mock, index) => (
            <tr key={mock.tool}>
              <td>
                <code>{mock.tool}</code>
              </td>
              <td className={tables["clip"]}>
                {mock.error === undefined ? <code>{JSON.stringify(mock.answer)}</code> : `fails: ${mock.error}`}
                {mock.succeeds_when !== undefined && `, succeeds when ${mock.succeeds_when}`}
                {errors[index] !== undefined && (
                  <span className={styles["error"]} role="alert">
                    {errors[index]}
                  </span>
                )}
              </td>
              <td className={tables["num"]}>{mock.delay_ms} ms</td>
              {onChange && (
                <td className={tables["end"]}>
                  <Button small look="quiet" onClick={() => setEdited(index)}>
                    Edit
                  </Button>
                  <Button
                    small
                    look="quiet"
                    iconOnly
                    aria-label={`Remove ${mock.tool}`}
                    onClick={() => onChange(mockTools.toSpliced(index, 1))}
                  >
                    <X size={14} aria-hidden />
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
      {onChange && (
        <Button small className={styles["add"]} onClick={() => setEdited("new")}>
          <Plus size={14} aria-hidden />
          Mock tool
        </Button>
      )}
      {edited !== undefined && onChange && (
        <MockToolDialog
          draft={shown && mockToolDraftOf({ ...shown, delayMs: shown.delay_ms, succeedsWhen: shown.succeeds_when })}
          taken={mockTools.map(({ tool }) => tool).filter((tool) => tool !== shown?.tool)}
          onClose={() => setEdited(undefined)}
          onDone={({ delayMs: delay_ms, succeedsWhen, ...mock }) => {
            const next = { ...mock, delay_ms, ...(succeedsWhen !== undefined && { succeeds_when: succeedsWhen }) };
            onChange(edited === "new" ? [...mockTools, next] : mockTools.with(edited, next));
            setEdited(undefined);
          }}
        />
      )}
    </section>
  );
}

type MockToolDialogProps = {
  /** Undefined for a new mock tool. */
  draft: MockToolDraft | undefined;
  /** Names of the tools for which the test already has a mock tool. */
  taken: readonly string[];
  onDone: (mockTool: MockToolResult) => void;
  onClose: () => void;
};

/** The change is stored when the test is saved. */
function MockToolDialog({ draft: first = EMPTY_MOCK_TOOL, taken, onDone, onClose }: MockToolDialogProps) {
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
