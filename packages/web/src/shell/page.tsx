import { Menu } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { CopyLink } from "../ui/copy.tsx";
import { classes } from "../ui/classes.ts";
import { OfflineBar } from "../ui/offline.tsx";
import { useMenu } from "./shell.tsx";
import widths from "../ui/widths.module.css";
import styles from "./page.module.css";

type PageProps = {
  title: string;
  /** How far it is, or how it ended. Only the title of the tab has it, so that a hidden tab says it. */
  state?: string | undefined;
  /** Links to the pages above this one. */
  above?: ReactNode;
  actions?: ReactNode;
  /** Removes the padding, so that the content reaches the edges. */
  full?: boolean;
  children: ReactNode;
};

export function Page({ title, state, above, actions, full, children }: PageProps) {
  const { open } = useMenu();
  useEffect(() => {
    document.title = [state, title, "svc"].filter((part) => part !== undefined).join(" · ");
  }, [state, title]);
  return (
    <>
      <header className={styles["head"]}>
        <span className={styles["menu"]}>
          <Button look="quiet" iconOnly aria-label="Menu" onClick={open}>
            <Menu size={16} aria-hidden />
          </Button>
        </span>
        <div className={styles["title"]}>
          {above !== undefined && <span className={styles["above"]}>{above}</span>}
          <h1>{title}</h1>
          <span className={widths["wideOnly"]}>
            <CopyLink />
          </span>
        </div>
        <div className={styles["actions"]}>{actions}</div>
      </header>
      <OfflineBar />
      <main className={classes(styles["main"], full && styles["full"])} id="content">
        {children}
      </main>
    </>
  );
}
