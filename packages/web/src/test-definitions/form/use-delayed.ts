import { useEffect, useState } from "react";

/** Returns a list of texts after it has stayed the same for a time. */
export function useDelayed(texts: readonly string[], ms: number): readonly string[] {
  const [delayed, setDelayed] = useState(texts);
  const key = texts.join("\n");
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(texts), ms);
    return () => clearTimeout(timer);
    // The list is another object at each rendering; its texts decide.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, ms]);
  return delayed;
}
