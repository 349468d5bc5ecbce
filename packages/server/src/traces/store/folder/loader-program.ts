import { startOf } from "../../../assets.ts";
import { prepareThread } from "../../../base/threads/call-thread.ts";

export const loaderProgram = () => startOf("loader-thread");

/** Starts a loader thread ahead, so that it loads its code and the database's library while the rest of the service is loaded. */
export const prepareLoader = (): void => prepareThread(loaderProgram());
