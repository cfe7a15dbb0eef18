/** The license in the few words that a tray has room for. */
import type { AppState } from '../shared/ipc/app-state.ts';

/** One true sentence on the state. */
export function traySentence({ session, license, warnings }: AppState): string {
  if (session.kind !== 'signed-in') return 'Signed out';
  if (warnings.length > 0 && license.kind === 'works') return 'Unusual activity on your device';
  switch (license.kind) {
    case 'works':
      return 'Everything works';
    case 'offline':
      return 'Offline, everything works';
    case 'offline-ended':
      return 'Offline for too long';
    case 'not-activated':
      return 'This device is not activated';
    case 'no-license':
      return 'No license';
    case 'blocked':
      return 'The license does not work';
    case 'unknown':
      return 'Not checked yet';
  }
}
