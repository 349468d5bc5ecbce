import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { Check, CircleAlert, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatCount } from "../ui/format.ts";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { AgentsTable } from "./agents-table.tsx";
import styles from "./monitoring.module.css";
import { HEALTH } from "./progress.ts";

type Setup = Answer<Operations["monitoring"]["list"]>["setups"][number];

export function PlatformA({ setup }: { setup: Setup | undefined }) {
  const { params, canWrite } = usePlace();
  if (setup === undefined)
    return (
      <Card title="Retell" note="Calls of a hosted platform are fetched">
        <Empty
          title="No platform is connected"
          action={
            canWrite && (
              <Link
                to="/o/$organizationId/p/$project/monitoring/platform_a/setup"
                params={params}
                className={buttonClass("primary")}
              >
                Connect Retell
              </Link>
            )
          }
        >
          <p>With a key of the platform, its calls of the last 30 days are fetched, then new ones as they end.</p>
        </Empty>
      </Card>
    );
  const { health } = setup;
  const { word, tone, remedy } = HEALTH[health.state];
  return (
    <Card
      title="Retell"
      note="Calls of a hosted platform are fetched"
      flush
      action={
        <span className={styles["actions"]}>
          <Chip tone={tone} icon={tone === "passed" ? Check : tone === "failed" ? CircleAlert : TriangleAlert}>
            {word}
          </Chip>
          {canWrite && (
            <>
              <Link
                to="/o/$organizationId/p/$project/monitoring/platform_a/setup"
                params={params}
                className={buttonClass("plain", true)}
              >
                Change key or agents
              </Link>
              <RemoveSetup />
            </>
          )}
        </span>
      }
    >
      {remedy !== "" && (
        <div className={styles["notice"]}>
          <Notice kind={tone === "failed" ? "failed" : "warning"}>
            {remedy}{" "}
            {health.blocked_until !== null && (
              <>
                Next try <Time at={health.blocked_until} />.
              </>
            )}
          </Notice>
        </div>
      )}
      <dl className={styles["facts"]}>
        <div>
          <dt>Key</dt>
          <dd>
            <code>…{setup.credentials_hint}</code>
          </dd>
        </div>
        <div>
          <dt>Newest call in</dt>
          <dd>
            <Time at={setup.last_received_at} />
          </dd>
        </div>
        <div>
          <dt>Failed requests in a row</dt>
          <dd>{formatCount(health.consecutive_failures)}</dd>
        </div>
        <div>
          <dt>Agents</dt>
          <dd>{formatCount(setup.agents.length)}</dd>
        </div>
        <div>
          <dt>Recordings</dt>
          <dd>{setup.fetches_recordings ? "Fetched" : "Not fetched"}</dd>
        </div>
      </dl>
      <AgentsTable agents={setup.agents} />
    </Card>
  );
}

function RemoveSetup() {
  const { client, projectId } = usePlace();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu label="More about Retell" small>
        <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>
          Stop importing
        </MenuItem>
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title="Stop importing from Retell?"
          action="Stop importing"
          act={async () => {
            await client.monitoring.remove({ platform: "platform_a", project: projectId });
            await queries.invalidateQueries();
          }}
          onClose={() => setAsking(false)}
        >
          <p>The stored key and the list of failed imports are deleted. Imported conversations stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
