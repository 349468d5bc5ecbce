import { useBlocker } from "@tanstack/react-router";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Asks before the person leaves a page with unsaved edits. A change of the page's own search parameters is no leaving. */
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
