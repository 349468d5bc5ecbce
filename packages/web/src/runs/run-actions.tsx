import type { Run } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Ban, GitCompare, RotateCw, Terminal } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import widths from "../ui/widths.module.css";
import { CompareDialog } from "./compare-dialog.tsx";
import { gridQuery, runQuery } from "./queries.ts";
import { rerunSearch } from "./run-search.ts";
import { isUnderWay } from "./run-words.ts";

type Step = "compare" | "cancel" | "ci" | undefined;

export function RunActions({ run }: { run: Run }) {
  const { params, canWrite } = usePlace();
  const navigate = useNavigate();
  const [step, setStep] = useState<Step>();
  const close = () => setStep(undefined);
  const canCancel = canWrite && (run.status === "pending" || run.status === "running");
  return (
    <>
      {canCancel && (
        <Button aria-label="Cancel" onClick={() => setStep("cancel")}>
          <Ban size={16} aria-hidden />
          <span className={widths["wideOnly"]}>Cancel</span>
        </Button>
      )}
      <Button aria-label="Compare" onClick={() => setStep("compare")}>
        <GitCompare size={16} aria-hidden />
        <span className={widths["wideOnly"]}>Compare</span>
      </Button>
      {canWrite && !isUnderWay(run) && (
        <Link
          to="/o/$organizationId/p/$project/runs/new"
          params={params}
          search={rerunSearch(run)}
          className={buttonClass()}
          aria-label="Run again"
        >
          <RotateCw size={16} aria-hidden />
          <span className={widths["wideOnly"]}>Run again</span>
        </Link>
      )}
      <Menu label="More actions">
        {canWrite && run.failedVerdicts > 0 && (
          <MenuItem
            icon={RotateCw}
            onSelect={() =>
              void navigate({
                to: "/o/$organizationId/p/$project/runs/new",
                params,
                search: rerunSearch(run, "failed"),
              })
            }
          >
            Run the failed tests again
          </MenuItem>
        )}
        <MenuItem icon={Terminal} onSelect={() => setStep("ci")}>
          Run it in CI …
        </MenuItem>
      </Menu>
      {step === "cancel" && <CancelDialog run={run} onClose={close} />}
      {step === "ci" && <CiDialog run={run} onClose={close} />}
      {step === "compare" && <CompareDialog run={run} onClose={close} />}
    </>
  );
}

function CancelDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const place = usePlace();
  return (
    <ConfirmDialog
      title="Cancel the run?"
      action="Cancel the run"
      act={async () => {
        const { run: canceled } = await place.client.runs.cancel({ runId: run.id, projectId: place.projectId });
        queries.setQueryData(runQuery(place, run.id).queryKey, canceled);
        void queries.invalidateQueries({ queryKey: gridQuery(place, run.id).queryKey });
      }}
      onClose={onClose}
    >
      <p>
        {run.queuedCount + run.runningCount} simulations that have not ended stop and get no verdict. The others keep
        theirs.
      </p>
    </ConfirmDialog>
  );
}

function CiDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const place = usePlace();
  const { data: grid } = useQuery(gridQuery(place, run.id));
  const testIds = [...new Set(grid?.tests.map(({ testId }) => testId))];
  return (
    <Dialog
      wide
      title="Run it in CI"
      lede="The commands need svc on the job's machine, a key of this project in SVC_API_KEY and the address of this service in SVC_URL."
      onClose={onClose}
    >
      <p>Play the same tests again, and fail the job when a test fails:</p>
      <CopyLine text={ciCommand(run, testIds)} label="Copy the command" />
      <p>Write the report of this run:</p>
      <CopyLine text={reportCommand(run.id)} label="Copy the command of the report" />
    </Dialog>
  );
}

/** Returns a text quoted as one word of a shell command. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Returns the command with which a CI job plays a run again and writes a JUnit report. */
export function ciCommand(run: Run, testIds: readonly string[]): string {
  const tests = run.suiteName === null ? testIds.map((id) => `--test ${id}`) : [`--suite ${quoted(run.suiteName)}`];
  return [
    "svc runs start",
    ...tests,
    `--agent ${quoted(run.agentName)} --connection ${run.connectionId}`,
    `--iterations ${run.iterations} --caller ${run.caller}${run.allowUngraded ? " --allow-ungraded" : ""}`,
    "--junit result.xml",
  ].join(" \\\n  ");
}

/** Returns the command that writes the JUnit report of a run that has ended. */
const reportCommand = (runId: string): string => `svc runs show ${runId} --junit result.xml`;
