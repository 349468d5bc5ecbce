import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import styles from "./copy.module.css";

/** A line to paste, with a button that copies it. */
export function CopyLine({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <div className={styles["line"]}>
      <code>{text}</code>
      <Button look="quiet" small iconOnly aria-label={copied ? "Copied" : label} onClick={() => void copy()}>
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </Button>
    </div>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button onClick={() => void copy()}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {copied ? "Copied" : label}
    </Button>
  );
}

export const Secret = ({ text }: { text: string }) => (
  <div className={styles["line"]}>
    <code>{text}</code>
    <CopyButton text={text} />
  </div>
);

export const CodeBlock = ({ text }: { text: string; label?: string }) => (
  <pre className={styles["line"]}>
    <code>{text}</code>
  </pre>
);
