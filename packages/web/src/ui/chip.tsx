import type { ReactNode } from "react";
export const Chip = ({ children }: { tone?: string; icon?: ReactNode; children: ReactNode }) => <span>{children}</span>;
