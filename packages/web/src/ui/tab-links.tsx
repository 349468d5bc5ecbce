import { type ReactNode, useEffect, useRef } from "react";
import styles from "./tab-links.module.css";

/** A row of links that looks like tabs. On a narrow screen it scrolls sideways, to the link of the present page. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  return (
    <nav ref={nav} className={styles["tabs"]} aria-label={label}>
      {children}
    </nav>
  );
}
