import { Bell } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";

/** Browsers offer notifications only to pages that came over TLS or from the own machine. */
const canNotify = (): boolean => typeof Notification !== "undefined";

/** Asks the browser for the permission to tell when something ends while the tab is hidden. */
export function NoticeButton() {
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : "denied"));
  if (permission !== "default") return null;
  return (
    <Button look="quiet" small onClick={() => void Notification.requestPermission().then(setPermission)}>
      <Bell size={14} aria-hidden />
      Tell me when it ends
    </Button>
  );
}

type EndNotice = {
  /** Undefined while it is unknown. */
  isOver: boolean | undefined;
  name: string;
  result: string;
};

/** Shows a notification when something ends while the tab is hidden, if the person has permitted notifications. */
export function useEndNotice({ isOver, name, result }: EndNotice): void {
  const wasOver = useRef(isOver);
  useEffect(() => {
    const ends = isOver === true && wasOver.current === false;
    wasOver.current = isOver;
    if (!ends || document.visibilityState === "visible" || !canNotify() || Notification.permission !== "granted")
      return;
    const notice = new Notification(`${result}: ${name}`);
    notice.addEventListener("click", () => window.focus());
  }, [isOver, name, result]);
}
