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
  /** The kind of the record, such as `test`. */
  noun: string;
  above: ReactNode;
  isChanged: boolean;
  creating: { isPending: boolean; isSuccess: boolean; mutate: () => void };
  onDiscard: () => void;
  children: ReactNode;
};

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

export function EditorLayout({ form, aside }: { form: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles["editor"]}>
      {form}
      <aside className={styles["aside"]}>{aside}</aside>
    </div>
  );
}

/** Controls for which a narrow screen has no room. The page's menu contains them too. */
export const WideOnly = ({ children }: { children: ReactNode }) => (
  <span className={styles["wideOnly"]}>{children}</span>
);

type RecordHeadProps = {
  name: string;
  /** Version that the person edits. */
  version: number;
  isChanged: boolean;
  /** Version that somebody else saved since the edit began; undefined if nobody did. */
  savedMeanwhile: number | undefined;
  children?: ReactNode;
};

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

/** A change of only the search parameters does not leave the page. */
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
