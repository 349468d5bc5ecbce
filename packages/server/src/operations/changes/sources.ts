import type { TraceSummary } from "@svc/contract";

/** Features whose changes a stream contains. Each method reads one project. */
export type ChangeSources = {
  conversations: {
    /** Calls `listener` when conversations of any project may have changed. */
    onChange: (listener: () => void) => void;
    /** Returns the number of the newest change. */
    newest: (project: number) => Promise<bigint>;
    /** Returns the conversations with a change number above `after`, and the number of the newest change. */
    since: (project: number, after: bigint) => Promise<{ traces: TraceSummary[]; isMore: boolean; last: bigint }>;
  };
  imports: {
    /**
     * Calls `listener` with the id of a project whose imports have changed, or with undefined when those of any project may have changed.
     */
    onChange: (listener: (projectId: string | undefined) => void) => void;
    countFailures: (projectId: string) => Promise<number>;
  };
};
