import { useQuery } from "@tanstack/react-query";
import { Plus, Wrench } from "lucide-react";
import { useState } from "react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { DeleteMockTool } from "./delete-mock-tool.tsx";
import { MockToolDialog } from "./mock-tool-dialog.tsx";
import { MockToolTable } from "./mock-tool-table.tsx";
import styles from "./mock-tools.module.css";
import { mockToolsQuery, type ProjectMockTool } from "./queries.ts";

type Step = { name: "edit" | "delete"; mockTool: ProjectMockTool } | { name: "create" };

/** The project's mock tools: what the agents' tools answer in every test. */
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
