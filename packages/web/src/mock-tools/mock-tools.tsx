import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2, Wrench } from "lucide-react";
import { useState } from "react";
import { mockToolsQuery } from "../agents/queries.ts";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { MockToolDialog } from "./mock-tool-dialog.tsx";
import styles from "./mock-tools.module.css";
import { agentNamesQuery, type ProjectMockTool } from "./queries.ts";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";

const COLUMNS = [
  { head: "Tool", width: "20%" },
  { head: "Answer", width: "45%" },
  { head: "Delay", numeric: true, wideOnly: true },
  { head: "Agents" },
  { head: "Changed", wideOnly: true },
];

type Step = { name: "edit" | "delete"; mockTool: ProjectMockTool } | { name: "create" };

export function MockTools() {
  const place = usePlace();
  const { data, error, refetch } = useQuery(mockToolsQuery(place));
  const [step, setStep] = useState<Step>();
  const close = () => setStep(undefined);
  const create = (
    <Button look="primary" onClick={() => setStep({ name: "create" })}>
      <Plus size={16} aria-hidden />
      New mock tool
    </Button>
  );
  return (
    <Page title="Mock tools" actions={place.canWrite && data !== undefined && data.length > 0 && create}>
      <p className={styles["lede"]}>
        In a simulation a mock tool answers in place of the agent's tool. A mock tool of the project applies to every
        test. A test with a mock tool for the same tool uses the test's.
      </p>
      {data === undefined ? (
        error ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Skeleton />
        )
      ) : data.length === 0 ? (
        <Empty icon={Wrench} title="No mock tools yet" action={place.canWrite && create}>
          <p>Prepare the answer of a tool, so that tests book no real room and charge no real card.</p>
        </Empty>
      ) : (
        <MockToolTable
          mockTools={data}
          onEdit={place.canWrite ? (mockTool) => setStep({ name: "edit", mockTool }) : undefined}
          onDelete={(mockTool) => setStep({ name: "delete", mockTool })}
        />
      )}
      {step?.name === "create" && <MockToolDialog onClose={close} />}
      {step?.name === "edit" && <MockToolDialog mockTool={step.mockTool} onClose={close} />}
      {step?.name === "delete" && <DeleteMockTool mockTool={step.mockTool} onClose={close} />}
    </Page>
  );
}

type MockToolTableProps = {
  mockTools: readonly ProjectMockTool[];
  /** Undefined for viewers; rows then have no buttons. */
  onEdit: ((mockTool: ProjectMockTool) => void) | undefined;
  onDelete: (mockTool: ProjectMockTool) => void;
};

function MockToolTable({ mockTools, onEdit, onDelete }: MockToolTableProps) {
  const { data: agents = [] } = useQuery(agentNamesQuery(usePlace()));
  const nameOf = (agentId: string) => agents.find(({ id }) => id === agentId)?.name ?? "an archived agent";
  return (
    <Table label="Mock tools" columns={onEdit ? [...COLUMNS, { head: "" }] : COLUMNS} stacked>
      {mockTools.map((mockTool) => (
        <tr key={mockTool.id}>
          <td className={tables["name"]}>
            <code>{mockTool.tool}</code>
          </td>
          <td className={tables["clip"]}>
            {mockTool.error === undefined ? (
              <code>{JSON.stringify(mockTool.answer)}</code>
            ) : (
              <>
                fails: <bdi>{mockTool.error}</bdi>
              </>
            )}
            {mockTool.succeedsWhen !== undefined && (
              <>
                , succeeds when <bdi>{mockTool.succeedsWhen}</bdi>
              </>
            )}
          </td>
          <td className={`${tables["num"]} ${tables["wideOnly"]} ${tables["faint"]}`}>{mockTool.delayMs} ms</td>
          <td>{mockTool.agentIds.length === 0 ? "every agent" : mockTool.agentIds.map(nameOf).join(", ")}</td>
          <td className={`${tables["wideOnly"]} ${tables["faint"]}`}>
            <Time at={mockTool.updatedAt} />
          </td>
          {onEdit && (
            <td className={tables["end"]}>
              <Button small look="quiet" iconOnly aria-label={`Edit ${mockTool.tool}`} onClick={() => onEdit(mockTool)}>
                <Pencil size={14} aria-hidden />
              </Button>
              <Button
                small
                look="quiet"
                iconOnly
                aria-label={`Delete ${mockTool.tool}`}
                onClick={() => onDelete(mockTool)}
              >
                <Trash2 size={14} aria-hidden />
              </Button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function DeleteMockTool({ mockTool, onClose }: { mockTool: ProjectMockTool; onClose: () => void }) {
  const place = usePlace();
  return (
    <ConfirmDialog
      title={`Delete the mock tool “${mockTool.tool}”?`}
      action="Delete mock tool"
      act={async () => {
        await place.client.mockTools.delete({ mockToolId: mockTool.id, projectId: place.projectId });
        await queries.invalidateQueries({ queryKey: mockToolsQuery(place).queryKey });
      }}
      onClose={onClose}
    >
      New runs call the agent's real tool, unless a test mocks it. Runs that started before keep using the mock tool.
    </ConfirmDialog>
  );
}
