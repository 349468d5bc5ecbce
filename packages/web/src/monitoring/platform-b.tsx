import { useMutation } from "@tanstack/react-query";
import { WORKER_FRAMEWORKS, workerVariables } from "@svc/contract/constants";
import type { Answer, Operations } from "@svc/sdk";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card, Columns } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./monitoring.module.css";

type Setup = Answer<Operations["monitoring"]["list"]>["setups"][number];

const CHOICES = [
  { value: "livekit_python", label: "Python" },
  { value: "livekit_javascript", label: "JavaScript" },
] as const;

type Language = (typeof CHOICES)[number]["value"];

const variablesWith = (secret: string) => workerVariables("svc", location.origin, secret);

export function PlatformB({ setup }: { setup: Setup | undefined }) {
  const { canWrite } = usePlace();
  const [language, setLanguage] = useState<Language>("livekit_python");
  const { install, code } = WORKER_FRAMEWORKS[language];
  return (
    <Card
      title="LiveKit Agents"
      note="Workers send their conversations themselves"
      action={
        setup && (
          <Chip tone="plain">
            {setup.last_received_at ? (
              <>
                newest conversation <Time at={setup.last_received_at} />
              </>
            ) : (
              "waiting for the first conversation"
            )}
          </Chip>
        )
      }
    >
      <Columns>
        <div className={styles["step"]}>
          <div>
            <Segmented label="Language of the worker" options={CHOICES} value={language} onChange={setLanguage} />
          </div>
          <p>Build and install the helper from svc’s repository:</p>
          <CopyLine text={install} label="Copy the lines that install" />
          <p>One line in the worker, before the session starts:</p>
          <CopyLine text={code} label="Copy the line of the worker" />
          <p className={styles["hint"]}>
            Any other worker sends with an OTLP exporter to the address at the right, path /v1/traces.
          </p>
        </div>
        <div className={styles["step"]}>
          <p>Two variables in its environment:</p>
          {canWrite ? <Variables /> : <CopyLine text={variablesWith("a key of this project")} />}
        </div>
      </Columns>
    </Card>
  );
}

function Variables() {
  const { client, projectId } = usePlace();
  const make = useMutation({
    mutationFn: async () => {
      await client.monitoring.savePlatformB({ project: projectId });
      return client.keys.create({ name: "worker", project_id: projectId, permissions: ["ingest"] });
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const secret = make.data?.secret;
  return (
    <>
      <CopyLine text={variablesWith(secret ?? "a key of this project")} />
      {secret !== undefined && (
        <Notice kind="warning">
          This key is shown only here and now. Copy it. It only sends conversations: it can neither read nor delete any.
        </Notice>
      )}
      {make.error && <Failure error={make.error} />}
      {secret === undefined && (
        <Button busy={make.isPending} onClick={() => make.mutate()}>
          <KeyRound size={16} strokeWidth={1.75} aria-hidden />
          Create a key
        </Button>
      )}
    </>
  );
}
