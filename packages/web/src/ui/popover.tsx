import * as Radix from "@radix-ui/react-popover";
import type { ReactNode } from "react";
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
  return (
    <Radix.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
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
