import type { Check } from "./check.ts";
import { callsBefore, neverCallsAfter } from "./forms/calls-in-order.ts";
import { callsOnly } from "./forms/calls-only.ts";
import { calls } from "./forms/calls.ts";
import { endsCall, finishesWithin, transfers } from "./forms/endings.ts";
import type { Form } from "./forms/form.ts";
import { handlesError } from "./forms/handles-error.ts";
import { repeatsBack } from "./forms/repeats-back.ts";
import { respondsWithin } from "./forms/responds-within.ts";
import { says } from "./forms/says.ts";
import { noSilenceOver, stopsWithin } from "./forms/silence.ts";

/** All forms of behaviors that code decides. The parser, the readings, the suggestions and docs/behaviors.md come from it. */
export const FORMS = [
  calls,
  callsBefore,
  neverCallsAfter,
  callsOnly,
  handlesError,
  says,
  repeatsBack,
  respondsWithin,
  noSilenceOver,
  stopsWithin,
  endsCall,
  transfers,
  finishesWithin,
] as unknown as readonly Form[];

const BY_NAME = new Map(FORMS.map((form) => [form.name, form]));

/** Returns the form of a check. */
export const formOf = ({ form }: Check): Form => BY_NAME.get(form)!;
