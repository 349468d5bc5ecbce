import { lazy, Suspense } from "react";
import { Skeleton } from "./progress.tsx";

const DiffLines = lazy(() => import("./diff-lines.tsx"));

/** The diff library is loaded when it is first needed. */
export function DiffView({ before, after }: { before: string; after: string }) {
  return (
    <Suspense fallback={<Skeleton rows={4} />}>
      <DiffLines before={before} after={after} />
    </Suspense>
  );
}
