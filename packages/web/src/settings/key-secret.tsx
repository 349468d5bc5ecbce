import type { Answer, Operations } from "@svc/sdk";
import { Button } from "../ui/button.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { commandLines, keyName, workerLines } from "./key-reach.ts";
import { Secret } from "./secret.tsx";
import styles from "./settings.module.css";

type KeySecretProps = { created: Answer<Operations["keys"]["create"]>; onClose: () => void };

/** Shows the secret of a new key, once. Only the button closes the dialog. */
export const KeySecret = ({ created, onClose }: KeySecretProps) => (
  <Dialog
    title={`The key “${keyName(created)}” is created`}
    lede="The service shows its secret only now, because it keeps only a fingerprint of it."
    footer={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    <Secret text={created.secret} />
    {created.scope === "project" && (
      <div className={styles["lines"]}>
        <p className={styles["label"]}>In a worker’s environment</p>
        <CopyLine text={workerLines(location.origin, created.secret)} label="Copy the lines for a worker" />
      </div>
    )}
    <div className={styles["lines"]}>
      <p className={styles["label"]}>In a shell, for the command line</p>
      <CopyLine text={commandLines(location.origin, created.secret)} label="Copy the lines for a shell" />
    </div>
  </Dialog>
);
