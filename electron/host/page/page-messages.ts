/** The messages between a page and the host, and the paths of the host's own files. */

/** Messages from the page to the host. */
export type PageMessage =
  | { readonly kind: 'invoke'; readonly id: number; readonly channel: string; readonly input: readonly unknown[] }
  | { readonly kind: 'focused'; readonly focused: boolean }
  | { readonly kind: 'response'; readonly id: number; readonly value: unknown };

/** Messages from the host to the page. */
export type HostMessage =
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }
  | { readonly kind: 'event'; readonly channel: string; readonly input: readonly unknown[] }
  | { readonly kind: 'request'; readonly id: number; readonly request: PageRequest };

/** Requests that only a page can fulfill. */
export type PageRequest =
  /** The response is the path of the chosen file, or `null`. */
  | { readonly kind: 'choose-file' }
  /** The response is the path of a copy of the chosen folder, or `null`. */
  | { readonly kind: 'choose-folder' }
  | { readonly kind: 'write-clipboard'; readonly text: string }
  /** The response is the text, or `null` if the page may not read it. */
  | { readonly kind: 'read-clipboard' }
  | { readonly kind: 'open-link'; readonly url: string };

/** Paths that start with this are the host's own; all others are the app's. */
export const hostPath = '/__host__/';
export const socketPath = `${hostPath}socket`;
export const uploadPath = `${hostPath}files/`;
