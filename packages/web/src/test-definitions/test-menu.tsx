import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Copy, Ellipsis, Play, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { testQuery } from "./queries.ts";
import type { StoredTest } from "./test-content.ts";

type TestMenuProps = { test: StoredTest; isChanged: boolean; onDiscard: () => void };

/** The seldom steps of a test: try it, copy it, discard edits, delete it. */
export function TestMenu({ test, isChanged, onDiscard }: TestMenuProps) {
  const place = usePlace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => place.client.tests.delete({ testId: test.id, project: place.projectId }),
    onSuccess: async () => {
      onDiscard();
      for (const name of ["tests.list", "suites.list"])
        void cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, name] });
      await navigate({ to: "/o/$organizationId/p/$project/tests", params: place.params, ignoreBlocker: true });
      cache.removeQueries({ queryKey: testQuery(place, test.id).queryKey });
    },
  });
  const copy = () =>
    void navigate({
      to: "/o/$organizationId/p/$project/tests/new",
      params: place.params,
      search: { copy: test.id },
    });
  const tryOnce = () =>
    void navigate({
      to: "/o/$organizationId/p/$project/runs/new",
      params: place.params,
      search: { test: test.id },
    });
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" iconOnly aria-label="More">
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Play} onSelect={tryOnce}>
          Try once
        </MenuItem>
        {isChanged && (
          <MenuItem icon={Undo2} onSelect={onDiscard}>
            Discard edits
          </MenuItem>
        )}
        <MenuItem icon={Copy} onSelect={copy}>
          Copy into a new test
        </MenuItem>
        <MenuItem danger icon={Trash2} onSelect={() => setAsking(true)}>
          Delete test …
        </MenuItem>
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title={`Delete the test “${test.name}”?`}
          action="Delete test"
          busy={isPending}
          error={error}
          onClose={() => setAsking(false)}
          onConfirm={mutate}
        >
          Its versions and the results of past runs stay readable. No new run can play it.
        </ConfirmDialog>
      )}
    </>
  );
}
