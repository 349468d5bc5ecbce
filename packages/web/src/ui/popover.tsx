import * as Radix from "@radix-ui/react-popover";
import { type ReactNode, use } from "react";
import { DialogContainer } from "./dialog-container.ts";
import styles from "./popover.module.css";

type PopoverProps = {
  label: string;
  /** The button that opens the panel. */
  trigger: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
};

/** A panel beside the button that opens it. */
export function Popover({ label, trigger, open, onOpenChange, children }: PopoverProps) {
  const container = use(DialogContainer);
  return (
    <Radix.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          className={styles["content"]}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
