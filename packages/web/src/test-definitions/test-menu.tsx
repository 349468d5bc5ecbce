import { useNavigate } from "@tanstack/react-router";
import { Copy, Play, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { queries, refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { testQuery } from "./queries.ts";
import type { StoredTest } from "./test-content.ts";

type TestMenuProps = { test: StoredTest; isChanged: boolean; onDiscard: () => void };

export function TestMenu({ test, isChanged, onDiscard }: TestMenuProps) {
  const place = usePlace();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
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
      <Menu label="More">
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
          act={async () => {
            await place.client.tests.delete({ testId: test.id, project: place.projectId });
            onDiscard();
            for (const name of ["tests.list", "suites.list"]) void refresh(place, name);
            await navigate({ to: "/o/$organizationId/p/$project/tests", params: place.params, ignoreBlocker: true });
            queries.removeQueries({ queryKey: testQuery(place, test.id).queryKey });
          }}
          onClose={() => setAsking(false)}
        >
          Its versions and the results of past runs stay readable. No new run can play it.
        </ConfirmDialog>
      )}
    </>
  );
}
