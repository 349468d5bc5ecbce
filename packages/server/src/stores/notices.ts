/** Kind of record that changed. A notice names a record by its topic and id. */
export type Topic =
  | "run"
  | "canceled_run"
  | "imports"
  | "setup"
  | "conversations"
  | "relayed_request"
  | "answered_request";

/** Called with the id of a record that has changed, or with undefined if any record of the topic may have changed. */
export type Listener = (id: string | undefined) => void;

/**
 * Reports changes to all processes on one store. A notice is only a hint to read the store again; it may get lost on the way to
 * another process.
 */
export type Notices = {
  /** Calls the listeners of this process now, and the listeners of all other processes soon. Call `send` after the commit. */
  send: (topic: Topic, id: string) => void;
  listen: (topic: Topic, listener: Listener) => void;
  close: () => Promise<void>;
};

type Listeners = Pick<Notices, "listen"> & {
  call: (topic: Topic, id: string) => void;
  /** Calls every listener with undefined, because any record may have changed. */
  callAll: () => void;
};

export function createListeners(): Listeners {
  const listeners = new Map<Topic, Listener[]>();
  return {
    listen(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    call(topic, id) {
      for (const listener of listeners.get(topic) ?? []) listener(id);
    },
    callAll() {
      for (const listener of [...listeners.values()].flat()) listener(undefined);
    },
  };
}

export function createLocalNotices(): Notices {
  const { listen, call } = createListeners();
  return { send: call, listen, close: () => Promise.resolve() };
}
