import { SvcError } from "@svc/sdk";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./base.css";
import { nameMissingParts } from "./shell/load-again.ts";
import { applyTheme } from "./shell/theme.ts";
import { queries } from "./queries.ts";
import { router } from "./router.tsx";
import { OfflineProvider } from "./ui/offline.tsx";
import { ToastProvider } from "./ui/toast.tsx";

applyTheme();
nameMissingParts();
createRoot(document.getElementById("page")!, {
  // A page shows the message of a service's error, so the console does not repeat it.
  onCaughtError: (error) => {
    if (!(error instanceof SvcError)) console.error(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <OfflineProvider>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </OfflineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
