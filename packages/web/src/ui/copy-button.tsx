import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 2_000;

type CopyButtonProps = Omit<ButtonProps, "children" | "onClick"> & { text: string; children?: ReactNode };

/** Copies a text. Without children it is an icon. */
export function CopyButton({ text, children, "aria-label": label = "Copy", ...button }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const isIcon = children === undefined;
  const Icon = isCopied ? Check : Copy;
  return (
    <>
      <Button
        look="quiet"
        small
        {...button}
        iconOnly={isIcon}
        aria-label={isIcon ? label : undefined}
        onClick={(event) => void copyText(text, event.currentTarget).then(() => setCopied(true))}
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
