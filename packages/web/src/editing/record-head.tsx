import { CircleDot } from "lucide-react";
import type { ReactNode } from "react";
import { Chip } from "../ui/chip.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./record-head.module.css";

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
