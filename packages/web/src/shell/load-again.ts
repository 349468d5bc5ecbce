const KEY = "svc.loadedAgainAtMs";
const PAUSE_MS = 60_000;

/** Loads the page again when a part of it is gone because the service was updated; at most once a minute. */
export function loadAgainAfterUpdate(): void {
  window.addEventListener("vite:preloadError", (event) => {
    if (Date.now() - Number(sessionStorage.getItem(KEY)) < PAUSE_MS) return;
    sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
