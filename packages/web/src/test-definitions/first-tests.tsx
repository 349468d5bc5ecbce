import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ListChecks, Play, Plus } from "lucide-react";
import { refresh } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Empty } from "../ui/empty.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./first-tests.module.css";

export function FirstTests() {
  const place = usePlace();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => place.client.sample.start({ projectId: place.projectId }),
    onSuccess: async ({ sample }) => {
      await refresh(place);
      await navigate({
        to: "/o/$organizationId/p/$project/runs/$runId",
        params: { ...place.params, runId: sample.runId },
      });
    },
  });
  if (!place.canWrite)
    return (
      <Empty title="No tests yet">
        <p>A test is a scenario with the behaviors that you expect of the agent. Members and admins write tests.</p>
      </Empty>
    );
  return (
    <Empty
      title="No tests yet"
      action={
        <Link to="/o/$organizationId/p/$project/tests/new" params={place.params} className={buttonClass("primary")}>
          <Plus size={16} aria-hidden />
          Write a test
        </Link>
      }
    >
      <p>A test is a scenario and the behaviors that you expect of the agent, one sentence each.</p>
      {error && <Notice kind="failed">{error.message}</Notice>}
      <ul className={styles["ways"]}>
        <li>
          <ListChecks size={16} aria-hidden />
          <span>
            Open a{" "}
            <Link to="/o/$organizationId/p/$project/conversations" params={place.params}>
              conversation
            </Link>{" "}
            and choose “Make a test of this”.
          </span>
        </li>
        <li>
          <Play size={16} aria-hidden />
          <span>
            <Button small busy={isPending} onClick={() => mutate()}>
              Play the sample agent
            </Button>{" "}
            with a suite of five tests.
          </span>
        </li>
      </ul>
      <p>Or push Markdown files of tests from a folder, where svc is installed:</p>
      <CopyLine text="svc tests push tests" />
    </Empty>
  );
}
