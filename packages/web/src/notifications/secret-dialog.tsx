import { useState } from "react";
import { CopyLine } from "../ui/copy.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { VERIFYING } from "./destination-words.ts";
import styles from "./notifications.module.css";

type SecretDialogProps = { name: string; secret: string; onClose: () => void };

/** The service never shows the secret again, so only the button closes the dialog. */
export function SecretDialog({ name, secret, onClose }: SecretDialogProps) {
  const [language, setLanguage] = useState<keyof typeof VERIFYING>("node");
  return (
    <Dialog
      title={
        <>
          The secret of “<bdi>{name}</bdi>”
        </>
      }
      lede="The service shows it only now. With it your program knows that an event comes from this service."
      footer={
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <CopyLine text={secret} label="Copy the secret" />
      <div>
        <p className={styles["label"]}>Check each event with the library standardwebhooks</p>
        <Tabs
          label="Language"
          tabs={[
            { id: "node", label: "Node" },
            { id: "python", label: "Python" },
          ]}
          selected={language}
          onSelect={setLanguage}
        >
          <div className={styles["code"]}>
            <CopyLine text={VERIFYING[language]} label="Copy the lines" />
          </div>
        </Tabs>
      </div>
    </Dialog>
  );
}
