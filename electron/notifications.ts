/** System notifications: decides which state changes the user is notified of, and shows the notifications. */
import { Notification } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import type { Ending } from '../shared/ipc/ends-soon.ts';
import type { Place } from '../shared/ipc/open-request.ts';
import { hasSessionEnded } from '../shared/ipc/session-ended.ts';
import type { Messages } from './i18n/en.ts';
import { wasReleasedElsewhere } from './problems.ts';

export type NotificationText = {
  readonly title: string;
  readonly body: string;
  /** Where the window navigates when the notification is clicked. */
  readonly place?: Place;
  /** Key of a notification that is shown only once, even across restarts of the app. */
  readonly once?: string;
};

/**
 * Returns one notification for each new warning, one if the license has become blocked or is blocked for a new reason,
 * one if features have stopped or the session has ended without the user's doing, and one for a new version of the app
 * that the user can install or download.
 */
export function notificationsFor(before: AppState, after: AppState, messages: Messages): NotificationText[] {
  return [
    ...blockedNotifications(before, after, messages.notifications),
    ...stoppedNotifications(before, after, messages.notifications),
    ...signedOutNotifications(before, after, messages.notifications),
    ...warningNotifications(before, after, messages.notifications),
    ...updateNotifications(before, after, messages.notifications),
  ];
}

function blockedNotifications(
  before: AppState,
  after: AppState,
  messages: Messages['notifications'],
): NotificationText[] {
  // At the start of the app, the stored license is only read again.
  if (after.license.kind !== 'blocked' || before.license.kind === 'unknown') return [];
  const { reason } = after.license;
  if (before.license.kind === 'blocked' && before.license.reason === reason) return [];
  return [{ title: messages.blockedTitle, body: messages[reason] }];
}

/** Nothing works any more, although the license is valid. */
function stoppedNotifications(
  before: AppState,
  after: AppState,
  messages: Messages['notifications'],
): NotificationText[] {
  if (before.license.kind !== 'works' && before.license.kind !== 'offline') return [];
  if (after.license.kind === 'offline-ended')
    return [{ title: messages.offlineEnded, body: messages.offlineEndedText, place: 'overview' }];
  if (!wasReleasedElsewhere(after)) return [];
  return [{ title: messages.released, body: messages.releasedText, place: 'devices' }];
}

/** The session has ended by itself; the user may still work through the lease. */
function signedOutNotifications(
  before: AppState,
  after: AppState,
  messages: Messages['notifications'],
): NotificationText[] {
  if (before.session.kind !== 'signed-in' || after.session.kind !== 'signed-out') return [];
  const { reason } = after.session;
  return hasSessionEnded(reason) ? [{ title: messages.signedOut, body: messages[reason] }] : [];
}

/**
 * Not before this device is activated: the server warns of that too, and the window is about to ask for the key. The body
 * is the server's own message, in its language. The same one, whatever its numbers, is shown at most once a
 * day, across restarts, and so is one that takes the place of another: some servers reword theirs each time.
 */
function warningNotifications(
  before: AppState,
  after: AppState,
  messages: Messages['notifications'],
): NotificationText[] {
  if (after.license.kind === 'not-activated') return [];
  const known = new Set(before.warnings.map(({ id }) => id));
  return after.warnings
    .filter(({ id }) => !known.has(id))
    .map(({ id, text, since }) => {
      const once = `${known.size === 0 ? id : 'warning-reworded'} ${since.slice(0, 10)}`;
      return { title: messages.warningTitle, body: text, once };
    });
}

function updateNotifications(
  before: AppState,
  after: AppState,
  messages: Messages['notifications'],
): NotificationText[] {
  const { available: version, reason } = after.updates;
  const isOffered = reason === null || reason === 'no-keys';
  if (version === null || version === before.updates.available || !isOffered) return [];
  return [{ title: `Latchkey ${version}`, body: messages.updateText, place: 'installer', once: `update ${version}` }];
}

/** Returns the notification of one ending; `locale` formats its date. */
export function endingNotification(
  { kind, at }: Ending,
  { notifications: messages }: Messages,
  locale: string,
): NotificationText {
  const once = `${kind} ${at}`;
  const date = { weekday: 'long', day: 'numeric', month: 'long' } as const;
  const format = (options: Intl.DateTimeFormatOptions) => new Date(at).toLocaleString(locale, options);
  if (kind !== 'offline-use') {
    const title = `${messages[`${kind}Ends`]}: ${format(date)}`;
    return { title, body: messages[`${kind}EndsText`], place: 'overview', once };
  }
  const until = format({ ...date, hour: '2-digit', minute: '2-digit' });
  const title = `${messages.offlineUseEnds}: ${until}`;
  return { title, body: messages.offlineUseEndsText, place: 'devices', once };
}

/** Electron drops the listeners of a notification that nothing refers to, while the system still lists it. */
const latest: Notification[] = [];
const maxLatest = 50;

/** Shows a notification if the system supports it; `onClick` is called when the user clicks it. */
export function showNotification({ title, body }: NotificationText, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const isMarkup = process.platform === 'linux' && process.versions.electron !== undefined;
  const notification = new Notification({ title, body: isMarkup ? escapeMarkup(body) : body });
  notification.on('click', onClick);
  notification.show();
  if (latest.push(notification) > maxLatest) latest.shift();
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes a server's text: Linux renders the body as markup with links and images, and Electron passes it on unchanged.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? '');
}
