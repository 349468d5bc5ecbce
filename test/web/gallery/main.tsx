import "../../../packages/web/src/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { ToastProvider } from "../../../packages/web/src/ui/toast.tsx";
import { Controls } from "./controls.tsx";
import { Data } from "./data.tsx";
import styles from "./gallery.module.css";
import { Open } from "./open.tsx";
import { States } from "./states.tsx";

/** Shows every component of `packages/web/src/ui` in its states. `?open=dialog`, for example, shows an open dialog. */
function Gallery() {
  return (
    <main className={styles["gallery"]}>
      <h1>Components</h1>
      <States />
      <Controls />
      <Data />
      <Open name={new URLSearchParams(location.search).get("open")} />
    </main>
  );
}

createRoot(document.getElementById("page")!).render(
  <QueryClientProvider client={new QueryClient()}>
    <ToastProvider>
      <Gallery />
    </ToastProvider>
  </QueryClientProvider>,
);
