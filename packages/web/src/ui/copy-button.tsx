import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Button, type ButtonProps } from "./button.tsx";

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
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      look="quiet"
      small
      {...button}
      iconOnly={children === undefined}
      aria-label={isCopied ? "Copied" : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon size={14} aria-hidden />
      {children}
    </Button>
  );
}
