import { Door } from "./door.tsx";
import { FirstMinute } from "./first-minute.tsx";
import { FounderForm } from "./founder-form.tsx";

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
