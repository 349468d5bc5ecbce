import { CalendarDays } from "lucide-react";
import { type FormEvent, useState } from "react";
import {
  dayOf,
  type Period,
  PERIOD_NAMES,
  type Range,
  type RangeSearch,
  READER_ZONE,
  rangeWords,
  wordsOf,
} from "../periods.ts";
import { Button, buttonClass, WideWords } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Popover } from "../ui/filter.tsx";
import { Segmented } from "../ui/segmented.tsx";
import styles from "./metrics.module.css";

type RangeControlProps = { range: Range; onChange: (range: RangeSearch) => void };

/** Chooses a named period, or the first and the last day. */
export function RangeControl({ range, onChange }: RangeControlProps) {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<string>();
  const isNamed = "period" in range;
  const today = dayOf(new Date());
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const [from = "", to = ""] = [...event.currentTarget.querySelectorAll("input")].map(({ value }) => value);
    if (from === "" || to === "") setError("Choose both days.");
    else if (from > to) setError("The first day is after the last one.");
    else {
      setOpen(false);
      setError(undefined);
      onChange({ period: undefined, from, to });
    }
  };
  return (
    <>
      <Segmented<Period | "">
        label="Period"
        value={isNamed ? range.period : ""}
        options={PERIOD_NAMES.map((value) => ({ value, label: wordsOf(value) }))}
        onChange={(period) => period !== "" && onChange({ period, from: undefined, to: undefined })}
      />
      <Popover
        label="Days"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button type="button" className={buttonClass(isNamed ? "quiet" : "plain")}>
            <CalendarDays size={16} strokeWidth={1.75} aria-hidden />
            <WideWords>{isNamed ? "Choose days" : rangeWords(range)}</WideWords>
          </button>
        }
      >
        <form className={styles["days"]} onSubmit={apply} noValidate>
          <TextField label="First day" type="date" max={today} defaultValue={isNamed ? "" : range.from} />
          <TextField
            label="Last day"
            type="date"
            max={today}
            defaultValue={isNamed ? today : range.to}
            error={error}
            help={READER_ZONE}
          />
          <Button type="submit" small look="primary">
            Show
          </Button>
        </form>
      </Popover>
    </>
  );
}
