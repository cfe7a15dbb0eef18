/** Who may call: the main frame of our own window, while it shows our own page. */

/** What is looked at of an IPC event and of the window it should come from. */
export type SenderEvent = { readonly senderFrame: Frame | null };
type Frame = { readonly url: string; readonly origin: string };
export type SenderWindow = { readonly isDestroyed: () => boolean; readonly webContents: { readonly mainFrame: Frame } };

/** Whether a message came from the page that we loaded, and not from a frame within it or another page. */
export function isOwnPage(event: SenderEvent, window: SenderWindow, ownOrigin: string): boolean {
  if (event.senderFrame === null || window.isDestroyed()) return false;
  return event.senderFrame === window.webContents.mainFrame && originOf(event.senderFrame.url) === ownOrigin;
}

/** The origin of a URL with a scheme of our own, which `URL.origin` calls "null" outside of Chromium. */
function originOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return null;
  }
}
