import * as Radix from "@radix-ui/react-dropdown-menu";
import { Ellipsis, type LucideIcon } from "lucide-react";
import { type ReactNode, use } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { DialogContainer } from "./dialog.tsx";
import styles from "./menu.module.css";

type MenuProps = {
  /** Accessible name of the three-dot button that opens the menu. */
  label?: string;
  small?: boolean;
  /** Button that opens the menu in place of the three-dot button. */
  trigger?: ReactNode;
  align?: "start" | "end";
  children: ReactNode;
};

export function Menu({ label, small = false, trigger, align = "end", children }: MenuProps) {
  const container = use(DialogContainer);
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>
        {trigger ?? (
          <Button look="quiet" iconOnly small={small} aria-label={label}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        )}
      </Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content className={styles["content"]} align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuItemProps = {
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

export function MenuItem({ icon: Icon, danger, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item className={classes(styles["item"], danger && styles["danger"])} disabled={disabled} onSelect={onSelect}>
      {Icon && <Icon size={16} strokeWidth={1.75} aria-hidden />}
      {children}
    </Radix.Item>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className={styles["label"]}>{children}</Radix.Label>
);

export const MenuSeparator = () => <Radix.Separator className={styles["separator"]} />;
