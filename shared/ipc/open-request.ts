/** Links and files opened with the app from outside, as the window receives them. */
import type { FileProblem } from './result.ts';

/** Valid values of PLACE in `latchkey://open/PLACE`: the sidebar's places, named as the window's hashes. */
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

/** `id` is unique and has no meaning. */
export type OpenRequest = { readonly id: string } & (
  | {
      /** A link with a license key, which stays in the main process; the user must confirm. */
      readonly kind: 'activate';
      readonly keyPreview: string;
    }
  | { readonly kind: 'place'; readonly place: Place }
  | {
      /** A lease file; `null` for a link that asks for one. */
      readonly kind: 'import-lease';
      readonly file: { readonly name: string; readonly text: string } | null;
    }
  | { readonly kind: 'unreadable-file'; readonly fileName: string; readonly fileProblem?: FileProblem }
  /** The menu of the app asks for the list of keyboard shortcuts. */
  | { readonly kind: 'shortcuts' }
  /** A link that is not one of ours. */
  | { readonly kind: 'unknown-link' }
);
