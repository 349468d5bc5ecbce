import type { ReactNode } from "react";
import { Page } from "../frame/page.tsx";
import { Button } from "../ui/button.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { LeaveGuard } from "./leave-guard.tsx";

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
