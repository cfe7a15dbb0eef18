/** Who may call commands: the main frame of our own window, while it shows our own page. */

/** The checked part of an IPC event; a frame inside the page has a parent, and a frame that is gone is `null`. */
export type SenderEvent = {
  readonly sender: object;
  readonly senderFrame: { readonly url: string; readonly parent: object | null } | null;
};
export type SenderWindow = { readonly isDestroyed: () => boolean; readonly webContents: object };

/** Whether a message came from the page that we loaded, not from a frame inside it or from another page. */
export function isOwnPage({ sender, senderFrame }: SenderEvent, window: SenderWindow, ownOrigin: string): boolean {
  if (senderFrame === null || window.isDestroyed() || sender !== window.webContents) return false;
  return senderFrame.parent === null && originOf(senderFrame.url) === ownOrigin;
}

/** The origin of a URL. `URL.origin` is "null" for a custom scheme outside of Chromium. */
function originOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return null;
  }
}
