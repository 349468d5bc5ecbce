import { unavailable } from "../base/errors.ts";

/** Kind of work for an answer: `list` reads a page of records, `conversation` reads thousands of spans. */
export type AnswerKind = "list" | "conversation";

/** Permission to compute and send one answer. The bytes of the answer count against the budget until `release`. */
export type AnswerSlot = {
  resize: (bytes: number) => void;
  /**
   * Ends the computation of the answer, so that the next answer can begin. The bytes of this answer count against the budget until they are
   * sent.
   */
  made: () => void;
  /** A second call changes nothing. */
  release: () => void;
};

export type AnswerSlots = {
  /**
   * Resolves when it is the organization's turn and `bytes` fit into the budget. Throws `unavailable` after a bounded wait, or
   * immediately when too many requests wait. Rejects when `signal` aborts.
   */
  take: (organization: string, kind: AnswerKind, bytes: number, signal: AbortSignal) => Promise<AnswerSlot>;
  state: () => { bytes: number; waiting: number };
};

export type AnswerLimits = {
  /** Limit for the bytes of all answers together: records in memory, JSON, and bytes that clients have not received yet. */
  budgetBytes: number;
  atOnce: Record<AnswerKind, number>;
  atOnceOfOne: Record<AnswerKind, number>;
  waitingOfOne: number;
  waitMs: number;
};

const LIMITS: AnswerLimits = {
  budgetBytes: 256 * 1024 * 1024,
  atOnce: { list: 8, conversation: 2 },
  atOnceOfOne: { list: 4, conversation: 2 },
  waitingOfOne: 500,
  waitMs: 10_000,
};
/** Share of the budget that one organization may occupy, so that its slow clients never block the answers of other organizations. */
const SHARE_OF_ONE = 0.5;
const RETRY_AFTER_SECONDS = 5;

type Waiting = { bytes: number; start: (slot: AnswerSlot) => void };
type Organization = { bytes: number; waiting: number; making: Record<AnswerKind, number> };

/**
 * Creates the slots. Organizations take turns in the order of their first request: each organization gets one answer before any
 * organization gets a second answer. An answer that is larger than the budget waits until no other answer occupies any bytes.
 */
export function createAnswerSlots(limits: Partial<AnswerLimits> = {}): AnswerSlots {
  const { budgetBytes, atOnce, atOnceOfOne, waitingOfOne, waitMs } = { ...LIMITS, ...limits };
  const organizations = new Map<string, Organization>();
  /** The first organization is the next one in turn. */
  const queues: Record<AnswerKind, Map<string, Waiting[]>> = { list: new Map(), conversation: new Map() };
  const making: Record<AnswerKind, number> = { list: 0, conversation: 0 };
  let held = 0;

  function take(name: string, kind: AnswerKind, bytes: number, signal: AbortSignal): Promise<AnswerSlot> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const organization = organizationOf(name);
      if (organization.waiting >= waitingOfOne) throw tooMany();
      const queue = queues[kind].get(name) ?? [];
      queues[kind].set(name, queue);
      const leave = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        organization.waiting--;
        end();
      };
      const giveUp = (reason: unknown) => {
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) queues[kind].delete(name);
        leave(() => reject(reason));
        forget(name);
        startNext();
      };
      const onAbort = () => giveUp(signal.reason);
      const waiting: Waiting = { bytes, start: (slot) => leave(() => resolve(slot)) };
      const timer = setTimeout(() => giveUp(tooMany()), waitMs);
      signal.addEventListener("abort", onAbort, { once: true });
      organization.waiting++;
      queue.push(waiting);
      startNext();
    });
  }

  function organizationOf(name: string): Organization {
    const known = organizations.get(name);
    if (known !== undefined) return known;
    const organization = { bytes: 0, waiting: 0, making: { list: 0, conversation: 0 } };
    organizations.set(name, organization);
    return organization;
  }

  function forget(name: string): void {
    const { bytes, waiting, making: own } = organizationOf(name);
    if (bytes === 0 && waiting === 0 && own.list + own.conversation === 0) organizations.delete(name);
  }

  function startNext(): void {
    for (const kind of ["list", "conversation"] as const) {
      while (making[kind] < atOnce[kind]) {
        const name = nextOf(kind);
        if (name === undefined) break;
        const queue = queues[kind].get(name)!;
        const { bytes, start } = queue.shift()!;
        queues[kind].delete(name); // the organization moves to the end of the turns
        if (queue.length > 0) queues[kind].set(name, queue);
        start(begin(name, kind, bytes));
      }
    }
  }

  function nextOf(kind: AnswerKind): string | undefined {
    for (const [name, [first]] of queues[kind]) {
      const organization = organizationOf(name);
      const { bytes } = first!;
      if (organization.making[kind] >= atOnceOfOne[kind]) continue;
      if (organization.bytes > 0 && organization.bytes + bytes > budgetBytes * SHARE_OF_ONE) continue;
      // A smaller answer may not overtake a larger answer that does not fit yet, because the larger answer could wait forever.
      return held === 0 || held + bytes <= budgetBytes ? name : undefined;
    }
    return undefined;
  }

  function begin(name: string, kind: AnswerKind, bytes: number): AnswerSlot {
    const organization = organizationOf(name);
    let own = 0;
    let isMaking = true;
    const occupy = (next: number) => {
      held += next - own;
      organization.bytes += next - own;
      own = next;
    };
    const end = () => {
      if (isMaking) {
        making[kind]--;
        organization.making[kind]--;
      }
      isMaking = false;
    };
    making[kind]++;
    organization.making[kind]++;
    occupy(bytes);
    return {
      resize(next) {
        occupy(next);
        startNext();
      },
      made() {
        end();
        startNext();
      },
      release() {
        occupy(0);
        end();
        forget(name);
        startNext();
      },
    };
  }

  return {
    take,
    state: () => ({
      bytes: held,
      waiting: [...organizations.values()].reduce((sum, { waiting }) => sum + waiting, 0),
    }),
  };
}

const tooMany = () =>
  unavailable(
    "This organization waits for too many large answers. Ask again later, ask for less, or ask for one answer at a time.",
    RETRY_AFTER_SECONDS,
  );
