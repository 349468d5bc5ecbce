import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import styles from "./search-field.module.css";
import { useKeys } from "./use-keys.ts";

type SearchFieldProps = {
  label: string;
  value: string;
  /** Receives the text shortly after the last key. */
  onChange: (text: string) => void;
  placeholder?: string;
};

const PAUSE_MS = 250;

/** The search of a list; `/` moves the focus to it, and Escape empties it. */
export function SearchField({ label, value, onChange, placeholder = label }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useKeys({ "/": () => input.current?.focus() });
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <div className={styles["search"]} role="search">
      <Search size={16} strokeWidth={1.75} aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (text === "") event.currentTarget.blur();
          setText("");
        }}
      />
      {text === "" && <kbd aria-hidden>/</kbd>}
    </div>
  );
}
