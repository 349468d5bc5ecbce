import type { TraceSummary } from "@svc/contract";

/** The features whose changes a stream shows. Each of their methods reads one project. */
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
     * Calls `listener` with the id of a project whose imports have changed, or with undefined if those of any project may have.
     */
    onChange: (listener: (projectId: string | undefined) => void) => void;
    countFailures: (projectId: string) => Promise<number>;
  };
};
