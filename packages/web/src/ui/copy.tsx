import { Check, Copy, Link2, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import styles from "./copy.module.css";

const SHOWN_MS = 2_000;

type CopyButtonProps = Omit<ButtonProps, "children" | "onClick"> & {
  /** The text, or a function that returns it when the button is clicked. */
  text: string | (() => string);
  children?: ReactNode;
  /** The icon that is shown until the text is copied. */
  icon?: LucideIcon;
};

/** A button that copies a text. Without children, it is an icon. */
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

/** Copies the address of the page, which includes its filters and selection. */
export const CopyLink = () => <CopyButton text={() => location.href} icon={Link2} aria-label="Copy link" />;

/** One or several lines to paste somewhere, with a button that copies them. */
export function CopyLine({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div className={styles["line"]}>
      <code>{text}</code>
      <CopyButton text={text} aria-label={label} />
    </div>
  );
}

/**
 * Copies a text. Browsers allow access to the clipboard only for pages on HTTPS or on this machine. On other pages, the text is
 * put into a field beside `near`, selected and copied from there.
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
