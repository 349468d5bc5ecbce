import { createContext, use } from "react";

/** Opens and closes the menu of narrow screens. */
export const MenuState = createContext({ isOpen: false, open: () => {}, close: () => {} });

export const useMenu = () => use(MenuState);
