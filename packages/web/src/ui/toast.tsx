import { createContext, type ReactNode, use, useCallback, useEffect, useState } from "react";
import styles from "./toast.module.css";

type ToastText = { id: number; text: string };

const SHOWN_MS = 5_000;
const Show = createContext<(text: string) => void>(() => undefined);

/** Shows a short confirmation of an action without another visible result. Must not be used for errors. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<ToastText>();
  const show = useCallback((text: string) => setToast((last) => ({ id: (last?.id ?? 0) + 1, text })), []);
  useEffect(() => {
    if (toast === undefined) return undefined;
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <Show value={show}>
      {children}
      <div className={styles["place"]} role="status">
        {toast && (
          <p key={toast.id} className={styles["toast"]}>
            {toast.text}
          </p>
        )}
      </div>
    </Show>
  );
}

export const useToast = (): ((text: string) => void) => use(Show);
