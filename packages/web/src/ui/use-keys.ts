import { useEffect, useRef } from "react";

/** Widgets that use the arrow keys themselves. */
const MOVING = "[role=treegrid], [role=tablist], [role=radiogroup], [role=slider], input";

const PRESSED = "button, summary, input, [role=switch]";
const KEY = "svc.singleLetters";

type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Returns the name of a pressed key: `mod+k` for K with Ctrl or ⌘, `alt+ArrowUp`, or the key itself, such as `j` or `?`. */
export function nameOfKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  const named = key.length === 1 && (ctrlKey || metaKey) ? key.toLowerCase() : key;
  return `${ctrlKey || metaKey ? "mod+" : ""}${altKey ? "alt+" : ""}${named}`;
}

/** Returns whether the user is typing in a field, where letters are text and not shortcuts. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));

/**
 * Returns whether the target element uses the key itself. Return and Space press buttons, arrows move in widgets, and letters move in
 * menus.
 */
const hasUse = (target: EventTarget | null, key: string): boolean =>
  target instanceof Element &&
  (target.closest("[role=menu], [role=listbox]") !== null ||
    (key === "Enter" && target.closest("a, button") !== null) ||
    (key === " " && target.closest(PRESSED) !== null) ||
    (key.startsWith("Arrow") && target.closest(MOVING) !== null));

/**
 * Keys without Ctrl or ⌘ do nothing while the user types, while a dialog is open, or if the focused element uses them. Single
 * letters also do nothing if the user has switched them off.
 */
export function useKeys(keys: Keys, enabled = true): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (!enabled) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const name = nameOfKey(event);
      const act = current.current[name];
      if (act === undefined || event.defaultPrevented) return;
      const isPlain = !name.startsWith("mod+");
      if (
        isPlain &&
        (isTyping(event.target) || hasUse(event.target, name) || document.querySelector("dialog[open]") !== null)
      )
        return;
      if (isPlain && name.length === 1 && name !== " " && !lettersAreOn()) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [enabled]);
}

export const lettersAreOn = (): boolean => localStorage.getItem(KEY) !== "off";

export const switchLetters = (on: boolean): void => localStorage.setItem(KEY, on ? "on" : "off");
