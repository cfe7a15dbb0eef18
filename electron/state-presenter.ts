/** Applies each new state outside of the page: tray, menu, notifications, icon badge, theme and start at login. */
import { app, nativeTheme } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { endsSoon, isPostponed } from '../shared/ipc/ends-soon.ts';
import { resolveLanguage } from '../shared/ipc/language.ts';
import type { Place } from '../shared/ipc/open-request.ts';
import { hasScreens } from '../shared/ipc/works-signed-out.ts';
import type { Announced } from './announced.ts';
import type { Messages } from './i18n/en.ts';
import { messagesFor } from './i18n/messages.ts';
import type { Log } from './licensing/platform.ts';
import { type MenuActions, setMenu } from './menu.ts';
import { endingNotification, type NotificationText, notificationsFor, showNotification } from './notifications.ts';
import { countProblems } from './problems.ts';
import { applyStartAtLogin } from './start-at-login.ts';
import type { AppTray } from './tray.ts';

export type StatePresenterDeps = {
  /** Brings the window to the front when a notification is clicked. */
  readonly reveal: () => void;
  /** Brings the window to the front and navigates to a place. */
  readonly openPlace: (place: Place) => void;
  readonly menu: MenuActions;
  /** `null` if the system has no tray. */
  readonly tray: Pick<AppTray, 'show'> | null;
  /** The one-time notifications that were already shown, including by earlier starts. */
  readonly announced: Pick<Announced, 'has' | 'add'>;
  /** The language of the system, as a BCP 47 tag. */
  readonly systemLocale: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
};

export class StatePresenter {
  readonly #deps: StatePresenterDeps;
  #state: AppState | null = null;
  #menu: { readonly messages: Messages; readonly hasScreens: boolean } | null = null;
  #startAtLogin: boolean | null = null;
  #badge = 0;

  constructor(deps: StatePresenterDeps) {
    this.#deps = deps;
  }

  /**
   * Shows a state. The first one precedes the loading of the settings: it sets only the tray, the menu and the theme.
   */
  readonly present = (state: AppState): void => {
    const { tray, menu, openPlace, now } = this.#deps;
    const messages = this.#messagesOf(state);
    if (this.#state !== null) this.#presentChange(this.#state, state, messages);
    // A version missing from one check is not new to the user when the next check finds it.
    const updates = state.updates.available === null ? (this.#state ?? state).updates : state.updates;
    this.#state = { ...state, updates };
    tray?.show(state, { messages, locale: this.#localeOf(state), actions: menu, openPlace, now: now() });
    const shown = { messages, hasScreens: hasScreens(state) };
    if (messages !== this.#menu?.messages || shown.hasScreens !== this.#menu.hasScreens)
      setMenu(messages, menu, shown.hasScreens);
    this.#menu = shown;
    if (nativeTheme.themeSource !== state.settings.theme) nativeTheme.themeSource = state.settings.theme;
  };

  /** Says once that the app goes on without its window, which its user may not expect. */
  readonly announceHidden = (): void => {
    if (this.#state === null || !this.#state.settings.notifications) return;
    const { stillRunning: title, stillRunningText: body } = this.#messagesOf(this.#state).notifications;
    this.#notifyOnce({ title, body, once: 'still running' });
  };

  #presentChange(before: AppState, after: AppState, messages: Messages): void {
    const { log } = this.#deps;
    if (after.settings.notifications) {
      const texts = [...notificationsFor(before, after, messages), ...this.#endings(after, messages)];
      for (const text of texts) this.#notifyOnce(text);
    }
    const badge = after.settings.notifications ? countProblems(after) : 0;
    // On a system without badges, this does nothing.
    if (badge !== this.#badge) app.setBadgeCount(badge);
    this.#badge = badge;
    const { startAtLogin } = after.settings;
    if (startAtLogin === this.#startAtLogin) return;
    this.#startAtLogin = startAtLogin;
    applyStartAtLogin(startAtLogin).catch((error: unknown) => log.warn('start at login could not be set', { error }));
  }

  #endings(state: AppState, messages: Messages): NotificationText[] {
    const locale = this.#localeOf(state);
    const now = this.#deps.now();
    const { remindAt } = state.settings;
    return endsSoon(state, now).flatMap((ending) => {
      const text = endingNotification(ending, messages, locale);
      if (ending.kind === 'offline-use' || remindAt === undefined) return [text];
      if (isPostponed(ending, remindAt, now)) return [];
      return [{ ...text, once: `${text.once} ${remindAt}` }];
    });
  }

  #messagesOf({ settings }: AppState): Messages {
    return messagesFor(settings.language, this.#deps.systemLocale);
  }

  /** Prefers the system's locale if it has the same language, because it also determines the date format. */
  #localeOf({ settings }: AppState): string {
    const { systemLocale } = this.#deps;
    const language = resolveLanguage(settings.language, systemLocale);
    return systemLocale.toLowerCase().startsWith(language) ? systemLocale : language;
  }

  /** Announces an approaching end again if its date has moved. */
  #notifyOnce(text: NotificationText): void {
    const { reveal, openPlace, announced } = this.#deps;
    const { place, once } = text;
    if (once !== undefined && announced.has(once)) return;
    if (once !== undefined) announced.add(once);
    showNotification(text, place === undefined ? reveal : () => openPlace(place));
  }
}
