import type { ReactNode } from "react";
import styles from "./tab-links.module.css";

/** A row of links that looks like tabs; it scrolls sideways on a narrow screen. */
export const TabLinks = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={styles["tabs"]} aria-label={label}>
    {children}
  </nav>
);
