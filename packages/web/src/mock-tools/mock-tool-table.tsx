import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { agentNamesQuery, type ProjectMockTool } from "./queries.ts";

type MockToolTableProps = {
  mockTools: readonly ProjectMockTool[];
  /** Without it the rows have no controls. */
  onEdit: ((mockTool: ProjectMockTool) => void) | undefined;
  onDelete: (mockTool: ProjectMockTool) => void;
};

const COLUMNS = [
  { head: "Tool", width: "20%" },
  { head: "Answer", width: "45%" },
  { head: "Delay", numeric: true, wideOnly: true },
  { head: "Agents" },
  { head: "Changed", wideOnly: true },
];

/** The project's mock tools as rows. */
export function MockToolTable({ mockTools, onEdit, onDelete }: MockToolTableProps) {
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
