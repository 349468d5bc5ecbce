import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { refresh } from "../queries.ts";
import { NameDialog } from "../editing/name-dialog.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";

export function NewSuite() {
  const place = usePlace();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const create = async (name: string) => {
    const { testSuite } = await place.client.suites.create({ name, projectId: place.projectId });
    await refresh(place, "suites.list");
    await navigate({
      to: "/o/$organizationId/p/$project/suites/$suiteId",
      params: { ...place.params, suiteId: testSuite.id },
    });
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>New suite</Button>
      {isOpen && (
        <NameDialog
          title="New suite"
          verb="Create suite"
          name=""
          help="A run plays the tests of a suite together."
          act={create}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
