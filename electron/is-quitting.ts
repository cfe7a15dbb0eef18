/** Tells whether the app is quitting, so that its window closes rather than hides. */
import { app, autoUpdater } from 'electron';

/** Returns a function that tells whether the app has begun to quit since. */
export function followQuitting(): () => boolean {
  let isQuitting = false;
  const record = () => {
    isQuitting = true;
  };
  app.on('before-quit', record);
  // On macOS an update closes the windows before that event, and ends if one of them stays.
  autoUpdater.on('before-quit-for-update', record);
  return () => isQuitting;
}
