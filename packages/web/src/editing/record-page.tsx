import { useBlocker } from "@tanstack/react-router";
import { CircleDot } from "lucide-react";
import type { ReactNode } from "react";
import { Page } from "../shell/page.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { useKeys } from "../ui/use-keys.ts";
import styles from "./record-page.module.css";

type NewRecordPageProps = {
  /** The noun of the record, such as `test`. */
  noun: string;
  above: ReactNode;
  isChanged: boolean;
  /** The request that stores the record. */
  creating: { isPending: boolean; isSuccess: boolean; mutate: () => void };
  onDiscard: () => void;
  /** The form. */
  children: ReactNode;
};

/** The page of a record that is not stored yet: its form, the buttons that create and discard it, and a guard of the draft. */
export function NewRecordPage({ noun, above, isChanged, creating, onDiscard, children }: NewRecordPageProps) {
  const create = () => {
    if (isChanged && !creating.isPending) creating.mutate();
  };
  useKeys({ "mod+s": create });
  return (
    <Page
      title={`New ${noun}`}
      above={above}
      actions={
        <>
          {isChanged && (
            <Button look="quiet" onClick={onDiscard}>
              Discard
            </Button>
          )}
          <Button look="primary" disabled={!isChanged} busy={creating.isPending} onClick={create}>
            Create {noun}
          </Button>
        </>
      }
    >
      {children}
      <LeaveGuard isChanged={isChanged && !creating.isSuccess} onDiscard={onDiscard} />
    </Page>
  );
}

/** A form at the left and parts beside it; one column on a narrow screen. */
export function EditorLayout({ form, aside }: { form: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles["editor"]}>
      {form}
      <aside className={styles["aside"]}>{aside}</aside>
    </div>
  );
}

/** Controls of a head that a narrow screen has no room for; its menu has them too. */
export const WideOnly = ({ children }: { children: ReactNode }) => (
  <span className={styles["wideOnly"]}>{children}</span>
);

type RecordHeadProps = {
  name: string;
  /** The version that the person edits. */
  version: number;
  isChanged: boolean;
  /** The version that somebody saved since the edit began. */
  savedMeanwhile: number | undefined;
  children?: ReactNode;
};

/** The name and the version of a record, and whether edits are not saved. */
export function RecordHead({ name, version, isChanged, savedMeanwhile, children }: RecordHeadProps) {
  return (
    <>
      <div className={styles["head"]}>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Chip tone="plain">version {version}</Chip>
        {children}
        {isChanged && (
          <span className={styles["unsaved"]} role="status">
            <CircleDot size={14} aria-hidden />
            Unsaved changes
          </span>
        )}
      </div>
      {savedMeanwhile !== undefined && (
        <div className={styles["stale"]}>
          <Notice kind="warning">
            Somebody saved version {savedMeanwhile} meanwhile. Saving shows both edits side by side; nothing is lost.
          </Notice>
        </div>
      )}
    </>
  );
}

/** Asks before the person leaves a page with unsaved edits. A person who changes only the search parameters of the page does not leave it. */
export function LeaveGuard({ isChanged, onDiscard }: { isChanged: boolean; onDiscard: () => void }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      title="Leave without saving?"
      lede="Your edits are not saved."
      onClose={blocker.reset}
      footer={
        <>
          <Button
            look="danger"
            onClick={() => {
              onDiscard();
              blocker.proceed();
            }}
          >
            Discard edits
          </Button>
          <Button onClick={blocker.proceed}>Leave, keep edits in this tab</Button>
          <Button look="primary" onClick={blocker.reset} autoFocus>
            Stay
          </Button>
        </>
      }
    />
  );
}
