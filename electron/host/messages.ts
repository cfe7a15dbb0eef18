/** What goes over the socket between a page and the host. */

/** From the page to the host. */
export type PageMessage =
  | { readonly kind: 'invoke'; readonly id: number; readonly channel: string; readonly input: readonly unknown[] }
  | { readonly kind: 'visible'; readonly visible: boolean }
  | { readonly kind: 'reply'; readonly id: number; readonly value: unknown };

/** From the host to the page. */
export type HostMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  | { readonly kind: 'event'; readonly channel: string; readonly input: readonly unknown[] }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question };

/** What only a page can do, because the person is there. */
export type Question =
  /** Answered with the path of the chosen file, or `null`. */
  | { readonly what: 'choose-file' }
  | { readonly what: 'write-clipboard'; readonly text: string }
  /** Answered with the text, or `null` where the page may not read it. */
  | { readonly what: 'read-clipboard' }
  | { readonly what: 'open-link'; readonly url: string };

/** Below this path the host serves what is its own; everything else is the app's. */
export const hostPath = '/__host__/';
export const socketPath = `${hostPath}socket`;
export const uploadPath = `${hostPath}files/`;
