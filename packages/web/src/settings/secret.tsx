import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Time } from "../ui/time.tsx";
import { CopyButton } from "../ui/copy.tsx";
import styles from "./secret.module.css";

type LinkOnceProps = {
  title: string;
  lede: ReactNode;
  /** Path of the link on this service. */
  path: string;
  expiresAt: string;
  onClose: () => void;
};

/** The service never shows the link again, so only the button closes the dialog. */
export const LinkOnce = ({ title, lede, path, expiresAt, onClose }: LinkOnceProps) => (
  <Dialog
    title={title}
    lede={lede}
    footer={
      <Button look="primary" onClick={onClose}>
        I have the link
      </Button>
    }
  >
    <Secret text={`${location.origin}${path}`} />
    <p>
      The link works once, until <Time at={expiresAt} absolute />. The service shows it only now.
    </p>
  </Dialog>
);

export const Secret = ({ text }: { text: string }) => (
  <div className={styles["secret"]}>
    <code>{text}</code>
    <CopyButton text={text} look="plain" small={false}>
      Copy
    </CopyButton>
  </div>
);
