/** What was opened with the app from outside of it, by a link or a file, as the window gets to know it. */

/** What `latchkey://open/PLACE` may name: the places of the sidebar, by the hashes of the window. */
export const places = [
  'overview',
  'features',
  'devices',
  'api-key',
  'installer',
  'activity',
  'diagnostics',
  'settings',
] as const;
export type Place = (typeof places)[number];

/** `id` is another one for each, and says nothing. */
export type OpenRequest = { readonly id: string } & (
  | {
      /** A link with a license key, which stays in the main process; the user is asked first. */
      readonly kind: 'activate';
      readonly keyPreview: string;
    }
  | { readonly kind: 'place'; readonly place: Place }
  | {
      /** The file of a lease or, without a file, the link that asks for one. */
      readonly kind: 'import-lease';
      readonly file: { readonly name: string; readonly text: string } | null;
    }
  | { readonly kind: 'unreadable-file'; readonly fileName: string }
  /** A link that is not one of ours. */
  | { readonly kind: 'unknown-link' }
);
