import { SvcError } from "@svc/sdk";
import { MessagesSquare } from "lucide-react";
import { Button } from "../../../packages/web/src/ui/button.tsx";
import { Card, Section } from "../../../packages/web/src/ui/card.tsx";
import { CopyLine } from "../../../packages/web/src/ui/copy.tsx";
import { Empty, EmptyByFilter } from "../../../packages/web/src/ui/empty.tsx";
import { Failure, Notice } from "../../../packages/web/src/ui/notice.tsx";
import { Offline, OfflineBar } from "../../../packages/web/src/ui/offline.tsx";
import { Skeleton } from "../../../packages/web/src/ui/progress.tsx";
import styles from "./gallery.module.css";
import { LONG_WORD } from "./hostile.ts";

const NOT_NOW = new SvcError({
  code: "internal_error",
  status: 503,
  message: "The service cannot do this now.",
  details: { request_id: "req_0123456789abcdef" },
});
const NOT_HERE = new SvcError({ code: "not_found", status: 404, message: "This run does not exist in this project." });
const NOT_ALLOWED = new SvcError({
  code: "not_permitted",
  status: 403,
  message: "Only an admin of the organization sees its members.",
});

/** Shows a list in each of its states. */
export const States = () => (
  <Section title="States of a list">
    <div className={styles["cards"]}>
      <Card title="Loading">
        <Skeleton rows={4} />
      </Card>
      <Card title="Empty">
        <Empty icon={MessagesSquare} title="No conversation yet" action={<Button small>Connect a platform</Button>}>
          <p>An example is in the folder of svc's repository. Send it from there.</p>
          <CopyLine text="npx --no -- svc traces send examples/first-trace" />
        </Empty>
      </Card>
      <Card title="Empty by filter">
        <EmptyByFilter filters={["source production", "since 15 Nov", `with “${LONG_WORD}”`]} onClear={() => {}} />
      </Card>
      <Card title="Failed">
        <Failure error={NOT_NOW} again={() => {}} />
      </Card>
      <Card title="Gone">
        <Failure error={NOT_HERE} />
      </Card>
      <Card title="Not allowed">
        <Failure error={NOT_ALLOWED} />
      </Card>
      <Card title="Notices">
        <Notice kind="warning">The first 10,000 of more spans are shown. Turns and measures count only these.</Notice>
        <Notice>A persona without a voice speaks with the default voice.</Notice>
        <Notice kind="good" action={<Button small>Open the run</Button>}>
          The agent answers.
        </Notice>
        <Notice kind="failed">{LONG_WORD}</Notice>
      </Card>
      <Card title="Offline" flush>
        <Offline value={Date.UTC(2026, 10, 22, 6, 2, 11)}>
          <OfflineBar />
          <Button type="submit">Save</Button>
        </Offline>
      </Card>
    </div>
  </Section>
);
