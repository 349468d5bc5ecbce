import { SignInLayout } from "./layout.tsx";
import { FounderForm } from "./founder-form.tsx";
import { Verdict } from "../ui/chip.tsx";
import styles from "./layout.module.css";

/** Page that makes the first person the admin of a new service. */
export const Claim = () => (
  <SignInLayout
    title="Claim this service"
    lede="The first person who signs up manages it. Other people join by invitation."
    beside={<FirstMinute />}
  >
    <FounderForm submit="Claim it" />
  </SignInLayout>
);

const FirstMinute = () => (
  <>
    <h2>Your first minute</h2>
    <ol className={styles["steps"]}>
      <li className={styles["done"]}>
        <div>
          <h3>The service runs</h3>
          <p>It keeps all its data in one folder.</p>
        </div>
      </li>
      <li>
        <div>
          <h3>Claim it</h3>
          <p>You create an account, an organization and its first project.</p>
        </div>
      </li>
      <li>
        <div>
          <h3>See a result</h3>
          <p>
            Play the sample agent: five tests, about 15 seconds, no key. One of them fails for a reason, and you see the
            words that prove it.
          </p>
        </div>
      </li>
      <li>
        <div>
          <h3>Then use your own agent</h3>
          <p>Send calls from a worker, import them from a platform, or test an agent behind an HTTP address.</p>
        </div>
      </li>
    </ol>
    <article className={styles["result"]}>
      <header>
        <Verdict verdict="failed" />
        <h3>Admits that the booking failed</h3>
      </header>
      <div>
        <p>
          <code>book_room</code> failed, and the agent said that it worked.
        </p>
        <blockquote>
          <mark>You are booked, Eli Brandt: two nights from Monday.</mark> Anything else?
        </blockquote>
      </div>
    </article>
  </>
);
