import { useEffect, useState } from "react";

/** Returns a number that changes with the theme. Drawings that cannot use CSS variables depend on this number. */
export function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((count) => count + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", changed);
    const watching = new MutationObserver(changed);
    watching.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", changed);
      watching.disconnect();
    };
  }, []);
  return changes;
}
