import { Check, Copy, Link2, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import styles from "./copy.module.css";

const SHOWN_MS = 2_000;

type CopyButtonProps = Omit<ButtonProps, "children" | "onClick"> & {
  /** Text to copy, or a function that returns it at the click. */
  text: string | (() => string);
  children?: ReactNode;
  icon?: LucideIcon;
};

export function CopyButton({ text, children, icon = Copy, "aria-label": label = "Copy", ...button }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const isIcon = children === undefined;
  const Icon = isCopied ? Check : icon;
  return (
    <>
      <Button
        look="quiet"
        small
        {...button}
        iconOnly={isIcon}
        aria-label={isIcon ? label : undefined}
        title={isIcon ? label : undefined}
        onClick={(event) =>
          void copyText(typeof text === "string" ? text : text(), event.currentTarget).then(() => setCopied(true))
        }
      >
        <Icon size={14} aria-hidden />
        {children}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied && "Copied"}
      </span>
    </>
  );
}

/** The address includes the filters and the selection. */
export const CopyLink = () => <CopyButton text={() => location.href} icon={Link2} aria-label="Copy link" />;

export function CopyLine({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div className={styles["line"]}>
      <code>{text}</code>
      <CopyButton text={text} aria-label={label} />
    </div>
  );
}

/**
 * Browsers grant access to the clipboard only to pages on HTTPS or localhost. On other pages, the text is copied from a hidden
 * field, which is placed after `near`.
 */
async function copyText(text: string, near: HTMLElement): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  near.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  near.focus();
}
