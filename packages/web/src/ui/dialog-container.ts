import { createContext } from "react";

/** The open dialog around a component; menus and panels are drawn inside it, because everything outside it is inert. */
export const DialogContainer = createContext<HTMLElement | null>(null);
