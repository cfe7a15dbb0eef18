/** Who may call: the main frame of our own window, while it shows our own page. */

/** What is looked at of an IPC event; a frame within the page has a parent, and one that has gone is `null`. */
export type SenderEvent = {
  readonly sender: object;
  readonly senderFrame: { readonly url: string; readonly parent: object | null } | null;
};
export type SenderWindow = { readonly isDestroyed: () => boolean; readonly webContents: object };

/** Whether a message came from the page that we loaded, and not from a frame within it or another page. */
export function isOwnPage({ sender, senderFrame }: SenderEvent, window: SenderWindow, ownOrigin: string): boolean {
  if (senderFrame === null || window.isDestroyed() || sender !== window.webContents) return false;
  return senderFrame.parent === null && originOf(senderFrame.url) === ownOrigin;
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
