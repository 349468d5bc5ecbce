import { Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useEffect, useMemo, useState } from "react";
import { sessionQuery } from "../session.ts";
import { classes } from "../ui/classes.ts";
import styles from "./shell.module.css";
import { MainMenu } from "./main-menu.tsx";
import { SessionEnd } from "./session-end.tsx";
import { Shortcuts } from "./shortcuts.tsx";

export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [isFinding, find] = useState(false);
  const { pathname } = useLocation();
  const { data: session } = useQuery(sessionQuery);
  const { organizationId = session?.organization.id } = useParams({ strict: false });
  useEffect(() => setOpen(false), [pathname]);
  const menu = useMemo(() => ({ isOpen, open: () => setOpen(true), close: () => setOpen(false) }), [isOpen]);
  return (
    <MenuState value={menu}>
      <a className={styles["skip"]} href="#content">
        Skip to the content
      </a>
      <div className={styles["shell"]}>
        <div className={classes(styles["menu"], isOpen && styles["open"])}>
          {organizationId !== undefined && <MainMenu organizationId={organizationId} onFind={() => find(true)} />}
        </div>
        {isOpen && <button type="button" className={styles["veil"]} aria-label="Close the menu" onClick={menu.close} />}
        <div className={styles["content"]}>
          <Outlet />
        </div>
      </div>
      <Shortcuts isFinding={isFinding} find={find} />
      <SessionEnd />
    </MenuState>
  );
}

/** State of the menu on a narrow screen, with functions that open and close it. */
const MenuState = createContext({ isOpen: false, open: () => {}, close: () => {} });

export const useMenu = () => use(MenuState);
