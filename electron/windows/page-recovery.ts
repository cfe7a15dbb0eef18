/** Reloads the window's page after its process has crashed, and asks the user when it hangs. */
import { app, type BrowserWindow, dialog } from 'electron';
import type { Messages } from '../i18n/en.ts';
import type { Clock, Log } from '../licensing/platform.ts';

export type PageRecoveryDeps = {
  readonly window: BrowserWindow;
  /** The messages in the current language. */
  readonly messages: () => Messages;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
};

/** A page that crashes more often than this is not reloaded without asking. */
const maxReloads = 3;
const withinMs = 5 * 60_000;

/** Active for as long as the window exists. */
export function recoverPage({ window, messages, clock, log }: PageRecoveryDeps): void {
  const { webContents } = window;
  let reloadedAtMs: readonly number[] = [];
  let asking: AbortController | null = null;

  const ask = async (text: { readonly message: string; readonly detail: string }, buttons: readonly string[]) => {
    const controller = new AbortController();
    asking = controller;
    const options = {
      type: 'warning' as const,
      ...text,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    };
    const { response } = await dialog.showMessageBox(window, { ...options, signal: controller.signal });
    if (asking === controller) asking = null;
    return controller.signal.aborted ? null : response;
  };

  const reload = () => {
    reloadedAtMs = [...reloadedAtMs, clock.monotonic()];
    webContents.reload();
  };

  webContents.on('render-process-gone', async (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    log.warn('the process of the window has ended', { reason, exitCode });
    asking?.abort();
    reloadedAtMs = reloadedAtMs.filter((atMs) => clock.monotonic() - atMs < withinMs);
    if (reloadedAtMs.length < maxReloads) return reload();
    const { crashed, crashedDetail, reload: again, quit } = messages().recovery;
    if ((await ask({ message: crashed, detail: crashedDetail }, [again, quit])) === 1) return app.quit();
    reloadedAtMs = [];
    if (!window.isDestroyed()) reload();
  });

  window.on('unresponsive', async () => {
    if (asking !== null) return;
    log.warn('the window does not respond');
    const { hangs, hangsDetail, wait, reload: again } = messages().recovery;
    if ((await ask({ message: hangs, detail: hangsDetail }, [wait, again])) !== 1 || window.isDestroyed()) return;
    // Uses a new process: the current one may never return. Its end is handled above, which reloads the page.
    webContents.forcefullyCrashRenderer();
  });
  window.on('responsive', () => asking?.abort());
}

/** Logs the end of any other process of the app; Electron restarts it itself. */
export function logEndedProcesses(log: Log): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    if (reason !== 'clean-exit') log.warn('a process of the app has ended', { type, reason, exitCode });
  });
}
