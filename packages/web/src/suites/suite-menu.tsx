import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { NameDialog } from "../editing/name-dialog.tsx";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import type { Suite } from "./queries.ts";

/** The seldom steps of a suite: rename it, delete it with its tests. */
export function SuiteMenu({ suite }: { suite: Suite }) {
  const { client, organizationId, projectId, params } = usePlace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [step, setStep] = useState<"rename" | "delete">();
  const refresh = (...names: string[]) =>
    Promise.all(names.map((name) => cache.invalidateQueries({ queryKey: [organizationId, projectId, name] })));
  const renaming = useMutation({
    mutationFn: (name: string) => client.suites.edit({ suiteId: suite.id, name, projectId }),
    onSuccess: async () => {
      await refresh("suites.list");
      setStep(undefined);
    },
  });
  const deleting = useMutation({
    mutationFn: () => client.suites.delete({ suiteId: suite.id, projectId }),
    onSuccess: async () => {
      await navigate({ to: "/o/$organizationId/p/$project/tests", params });
      await refresh("suites.list", "tests.list");
    },
  });
  const close = () => {
    setStep(undefined);
    renaming.reset();
    deleting.reset();
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" iconOnly aria-label="More">
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={() => setStep("rename")}>
          Rename suite …
        </MenuItem>
        <MenuItem danger disabled={suite.isDefault} icon={Trash2} onSelect={() => setStep("delete")}>
          {suite.isDefault ? "The default suite stays" : "Delete suite …"}
        </MenuItem>
      </Menu>
      {step === "rename" && (
        <NameDialog
          title="Rename suite"
          verb="Rename suite"
          name={suite.name}
          busy={renaming.isPending}
          error={renaming.error}
          onClose={close}
          onDone={renaming.mutate}
        />
      )}
      {step === "delete" && (
        <ConfirmDialog
          title={`Delete the suite “${suite.name}”?`}
          action={suite.testCount === 0 ? "Delete suite" : "Delete suite and tests"}
          busy={deleting.isPending}
          error={deleting.error}
          onClose={close}
          onConfirm={deleting.mutate}
        >
          {suite.testCount === 0
            ? "The suite has no tests."
            : `${suite.testCount === 1 ? "Its test is" : `Its ${suite.testCount} tests are`} deleted too. Their versions and the results of past runs stay readable.`}
        </ConfirmDialog>
      )}
    </>
  );
}
