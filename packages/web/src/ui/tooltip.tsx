import * as Radix from "@radix-ui/react-tooltip";
import { type ReactNode, use } from "react";
import { DialogContainer } from "./dialog.tsx";
import styles from "./tooltip.module.css";

export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const container = use(DialogContainer);
  return (
    <Radix.Provider delayDuration={300}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={container}>
          <Radix.Content className={styles["tooltip"]} sideOffset={6} collisionPadding={8}>
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
