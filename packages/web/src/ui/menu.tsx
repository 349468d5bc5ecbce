import * as Radix from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import styles from "./menu.module.css";

export const Menu = ({ trigger, children }: { trigger: ReactNode; children: ReactNode }) => (
  <Radix.Root modal={false}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className={styles["content"]} align="end" sideOffset={4}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

type ItemProps = { icon?: ReactNode; onSelect: () => void; danger?: boolean; disabled?: boolean; children: ReactNode };

export const MenuItem = ({ icon, onSelect, disabled, children }: ItemProps) => (
  <Radix.Item className={styles["item"]} onSelect={onSelect} {...(disabled && { disabled })}>
    {icon}
    {children}
  </Radix.Item>
);
