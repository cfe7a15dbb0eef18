/** How many characters a new password must have at least: as the server says, or as most servers have it. */
import { defaultMinPasswordLength } from '../shared/formats/password.ts';
import { useApp } from './store.ts';

export function useMinPasswordLength(): number {
  return useApp((app) => app.server.offers?.passwordMinLength ?? defaultMinPasswordLength);
}
