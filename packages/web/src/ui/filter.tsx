import * as Radix from "@radix-ui/react-popover";
import { Check, Plus, X } from "lucide-react";
import { type ReactNode, use, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { DialogContainer } from "./dialog.tsx";
import { type Option, TextField } from "./field.tsx";
import styles from "./filter.module.css";

/** Number of options above which the filter has a field that searches the options. */
const SEARCHED_MIN = 12;

export const Filters = ({ children }: { children: ReactNode }) => (
  <div className={styles["filters"]} role="group" aria-label="Filters">
    {children}
  </div>
);

type FilterProps = {
  name: string;
  options: readonly Option[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
};

/** A second selection of the same value removes the filter. */
export function Filter({ name, options, value, onChange }: FilterProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const choose = (chosen: string | undefined) => {
    setOpen(false);
    setText("");
    onChange(chosen);
  };
  const shown = options.find((option) => option.value === value)?.label ?? value;
  const wanted = text.trim().toLowerCase();
  return (
    <Shell name={name} shown={shown} open={open} setOpen={setOpen} onClear={() => choose(undefined)}>
      {options.length > SEARCHED_MIN && (
        <TextField
          label={`Find ${name.toLowerCase()}`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul className={styles["options"]}>
        {options
          .filter(({ label }) => label.toLowerCase().includes(wanted))
          .map((option) => (
            <li key={option.value}>
              <button
                type="button"
                aria-pressed={option.value === value}
                onClick={() => choose(option.value === value ? undefined : option.value)}
              >
                {option.value === value ? <Check size={14} aria-hidden /> : <span />}
                <bdi>{option.label}</bdi>
              </button>
            </li>
          ))}
      </ul>
    </Shell>
  );
}

type FilterTextProps = Omit<FilterProps, "options"> & {
  help?: ReactNode;
  type?: "text" | "number" | "date";
  /** Returns the text of the value on the button. By default the value itself. */
  format?: (value: string) => string;
};

export function FilterText({ name, value, onChange, help, type = "text", format }: FilterTextProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(value ?? "");
  const shown = value === undefined ? undefined : (format?.(value) ?? value);
  return (
    <Shell
      name={name}
      shown={shown}
      open={open}
      setOpen={(next) => {
        setText(value ?? "");
        setOpen(next);
      }}
      onClear={() => onChange(undefined)}
    >
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          setOpen(false);
          onChange(text.trim() === "" ? undefined : text.trim());
        }}
      >
        <TextField
          label={name}
          type={type}
          help={help}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" small look="primary">
          Apply
        </Button>
      </form>
    </Shell>
  );
}

type ShellProps = {
  name: string;
  shown: string | undefined;
  open: boolean;
  setOpen: (open: boolean) => void;
  onClear: () => void;
  children: ReactNode;
};

function Shell({ name, shown, open, setOpen, onClear, children }: ShellProps) {
  const isSet = shown !== undefined;
  return (
    <span className={classes(styles["filter"], isSet && styles["set"])}>
      <Popover
        label={name}
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button type="button" className={styles["name"]}>
            {!isSet && <Plus size={14} aria-hidden />}
            {name}
            {isSet && <b dir="auto">{shown}</b>}
          </button>
        }
      >
        {children}
      </Popover>
      {isSet && (
        <button type="button" className={styles["clear"]} aria-label={`Take off the filter ${name}`} onClick={onClear}>
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  );
}

type PopoverProps = {
  label: string;
  trigger: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
};

export function Popover({ label, trigger, open, onOpenChange, children }: PopoverProps) {
  const container = use(DialogContainer);
  return (
    <Radix.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content
          className={styles["content"]}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
