/** Hook for the minimum length of a new password, in characters: the server's, or the default. */
import { defaultMinPasswordLength } from '../shared/formats/password.ts';
import { useApp } from './store.ts';

export function useMinPasswordLength(): number {
  return useApp((app) => app.server.offers?.passwordMinLength ?? defaultMinPasswordLength);
}
