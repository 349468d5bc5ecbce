import type { Trace } from "@svc/contract";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, FlaskConical, Trash2 } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useKeys } from "../ui/use-keys.ts";
import widths from "../ui/widths.module.css";
import { lastList, useNeighbours } from "./use-neighbours.ts";

type ConversationActionsProps = { conversation: Pick<Trace, "traceId" | "startedAt">; canBeTest: boolean };

export function ConversationActions({ conversation, canBeTest }: ConversationActionsProps) {
  const { traceId } = conversation;
  const { params, canWrite, canManage } = usePlace();
  const [asks, setAsks] = useState(false);
  return (
    <>
      {canWrite && canBeTest && (
        <Link
          to="/o/$organizationId/p/$project/tests/new"
          params={params}
          search={{ conversation: traceId }}
          className={buttonClass()}
        >
          <FlaskConical size={16} aria-hidden />
          <span className={widths["wideOnly"]}>Make a test of this</span>
          <span className={widths["narrowOnly"]}>Test</span>
        </Link>
      )}
      <NeighbourButtons conversation={conversation} />
      {canManage && (
        <Menu label="More actions">
          <MenuItem icon={Trash2} danger onSelect={() => setAsks(true)}>
            Delete the conversation
          </MenuItem>
        </Menu>
      )}
      {asks && <DeleteDialog traceId={traceId} onClose={() => setAsks(false)} />}
    </>
  );
}

function NeighbourButtons({ conversation }: Pick<ConversationActionsProps, "conversation">) {
  const { params } = usePlace();
  const navigate = useNavigate();
  const { previous, next } = useNeighbours(conversation);
  const go = (other: string | undefined) => {
    if (other === undefined) return;
    void navigate({
      to: "/o/$organizationId/p/$project/conversations/$traceId",
      params: { ...params, traceId: other },
      replace: true,
    });
  };
  useKeys({ "[": () => go(previous), "]": () => go(next) });
  return (
    <span className={widths["wideOnly"]}>
      <Button
        look="quiet"
        iconOnly
        aria-label="Previous conversation"
        title="Previous conversation ["
        disabled={previous === undefined}
        onClick={() => go(previous)}
      >
        <ChevronUp size={16} aria-hidden />
      </Button>
      <Button
        look="quiet"
        iconOnly
        aria-label="Next conversation"
        title="Next conversation ]"
        disabled={next === undefined}
        onClick={() => go(next)}
      >
        <ChevronDown size={16} aria-hidden />
      </Button>
    </span>
  );
}

function DeleteDialog({ traceId, onClose }: { traceId: string; onClose: () => void }) {
  const { client, organizationId, projectId, params } = usePlace();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete the conversation?"
      action="Delete the conversation"
      act={async () => {
        await client.traces.delete({ traceId, projectId });
        // Otherwise a cached list would show the conversation until it is fetched again.
        queries.removeQueries({ queryKey: [organizationId, projectId, "traces.list"] });
        await navigate({
          to: "/o/$organizationId/p/$project/conversations",
          params,
          search: lastList(projectId).address,
        });
        queries.removeQueries({ queryKey: [organizationId, projectId, "traces.get", traceId] });
      }}
      onClose={onClose}
    >
      <p>
        Its turns, measures, grades, its recording and the notes of labels are gone at once, and their bytes within an
        hour. Spans of it that arrive later are dropped. The simulation of a deleted conversation keeps its verdicts
        without texts.
      </p>
    </ConfirmDialog>
  );
}
