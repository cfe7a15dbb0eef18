/** What the page may do: load its own files and nothing else. No permissions, no navigation, no new windows. */
import { app, session } from 'electron';
import type { Log } from '../licensing/platform.ts';

export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Denies every permission, both when it is requested and when it is checked. Logs each request, and the first check of
 * each permission.
 */
export function denyPermissions(log: Log): void {
  const { defaultSession } = session;
  const checked = new Set<string>();
  defaultSession.setPermissionRequestHandler((_contents, permission, callback) => {
    log.warn('a permission was refused to the page', { permission });
    callback(false);
  });
  defaultSession.setPermissionCheckHandler((_contents, permission) => {
    // A browser page checks some permissions all the time.
    if (!checked.has(permission)) log.warn('a permission was refused to the page', { permission });
    checked.add(permission);
    return false;
  });
}

/**
 * Denies navigation, embedded views and new windows to every page of the app; a page may only load `ownPage` again.
 * Addresses are not logged: they may contain a secret.
 */
export function denyNavigation(ownPage: string, log: Log): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (event.url.split('#', 1)[0] === ownPage) return;
      event.preventDefault();
      log.warn('the page was kept from navigating');
    });
    contents.on('will-attach-webview', (event) => {
      event.preventDefault();
      log.warn('the page was kept from embedding another one');
    });
    contents.setWindowOpenHandler(() => {
      log.warn('the page was kept from opening a window');
      return { action: 'deny' };
    });
  });
}
