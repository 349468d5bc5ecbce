<<<<<<< HEAD
import { Door } from "./door.tsx";
import { FirstMinute } from "./first-minute.tsx";
import { FounderForm } from "./founder-form.tsx";
=======
import { clientOf } from "../client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Door, formClass, stepsClass } from "./door.tsx";
import { valuesOf } from "../ui/form-values.ts";
import { useEnter } from "./enter.ts";
>>>>>>> web

/** Makes the first person the admin of a new service. */
export const Claim = () => (
  <Door
    title="Claim this service"
    lede="The first person who signs up manages it. Other people join by invitation."
    beside={<FirstMinute />}
  >
    <FounderForm submit="Claim it" />
  </Door>
);
