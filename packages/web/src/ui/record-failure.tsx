import { SvcError } from "@svc/sdk";
import type { ReactNode } from "react";
import { Empty } from "./empty.tsx";
import { Failure } from "./failure.tsx";

type RecordFailureProps = {
  error: unknown;
  again: () => unknown;
  /** The noun of the record, such as `run`. */
  noun: string;
  /** The way to the records that exist. */
  action: ReactNode;
  /** The reasons for which the record may be missing. */
  children?: ReactNode;
};

/** Shows that a record does not exist, with a way on; for any other failure, the service's words. */
export function RecordFailure({ error, again, noun, action, children }: RecordFailureProps) {
  if (!(error instanceof SvcError) || error.status !== 404) return <Failure error={error} again={again} />;
  return (
    <Empty title={`This ${noun} is not here`} action={action}>
      <p>{children ?? "It never existed, or it belongs to another project."}</p>
    </Empty>
  );
}
