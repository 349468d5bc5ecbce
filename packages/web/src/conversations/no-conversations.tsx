import { Link } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { sendSampleCommands } from "../sample-commands.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Empty } from "../ui/empty.tsx";
import styles from "./conversation-rows.module.css";

/** Says how the first conversations come: the service's command, any OTLP exporter, or an import. */
export function NoConversations() {
  const { params, canWrite } = usePlace();
  const url = location.origin;
  return (
    <Empty
      icon={MessagesSquare}
      title="No conversations yet"
      action={
        canWrite && (
          <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass("primary")}>
            Connect a platform
          </Link>
        )
      }
    >
      <p>
        A worker sends its conversations with a key of this project.{" "}
        {canWrite ? (
          <Link to="/o/$organizationId/settings/keys" params={params}>
            Create a key
          </Link>
        ) : (
          "A member of the organization creates the key."
        )}
      </p>
      <div className={styles["lines"]}>
        <p>In the folder of svc, sign a terminal in and send a recorded session:</p>
        <CopyLine text={sendSampleCommands()} />
        <p>Or let an exporter send to this address, with the key in its headers:</p>
        <CopyLine
          text={`export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v1/traces\nexport OTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer svc_sk_…"`}
        />
      </div>
    </Empty>
  );
}
