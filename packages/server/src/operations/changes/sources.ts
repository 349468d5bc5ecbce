import type { TraceSummary } from "@svc/contract";

export type ChangeSources = {
  conversations: {
    onChange: (listener: () => void) => void;
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
