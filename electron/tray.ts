/** The tray icon: the license state in a few words, and a menu of what the user can do about it. */
import { app, Menu, nativeImage, Tray } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { subscriptionEndsSoon } from '../shared/ipc/ends-soon.ts';
import { lastingProblem } from '../shared/ipc/lasting-problem.ts';
import type { Place } from '../shared/ipc/open-request.ts';
import { hasSessionEnded } from '../shared/ipc/session-ended.ts';
import { hasScreens } from '../shared/ipc/works-signed-out.ts';
import trayIcon from './assets/tray.png?inline';
import attentionIcon from './assets/tray-attention.png?inline';
import attentionTemplate from './assets/tray-attention-template.png?inline';
import trayTemplate from './assets/tray-template.png?inline';
import type { Messages } from './i18n/en.ts';
import type { MenuActions } from './menu.ts';
import { countProblems } from './problems.ts';

export type TrayOptions = {
  readonly messages: Messages;
  /** Locale of dates, as a BCP 47 tag. */
  readonly locale: string;
  readonly actions: Pick<MenuActions, 'checkNow' | 'openSettings'>;
  readonly openPlace: (place: Place) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** An item that opens the screen where the user can act. */
type PlaceItem = { readonly label: string; readonly place: Place };

/** A dot on the second one says that the user's action is needed, also where the system chooses the colors. */
type Images = Readonly<Record<'normal' | 'attention', Electron.NativeImage>>;

export class AppTray {
  readonly #tray: Tray;
  readonly #images: Images;
  #open: () => void = () => {};
  #image: keyof Images = 'normal';
  #shown: string | null = null;

  private constructor(images: Images) {
    this.#images = images;
    this.#tray = new Tray(images.normal);
    this.#tray.on('click', () => this.#open());
  }

  /** Shows the icon; `null` if the system has no tray. */
  static create(): AppTray | null {
    try {
      return new AppTray({
        normal: trayImage(trayIcon, trayTemplate),
        attention: trayImage(attentionIcon, attentionTemplate),
      });
    } catch {
      return null;
    }
  }

  /** Sets what opens the window: a click on the icon, or the first item of its menu. */
  onOpen(open: () => void): void {
    this.#open = open;
  }

  /** Shows a state; does nothing if the tray already shows the same. */
  show(state: AppState, options: TrayOptions): void {
    const { messages, actions, openPlace } = options;
    const label = trayLabel(state, messages.tray);
    const lines = [label, ...offlineLine(state, options), ...subscriptionLine(state, options)];
    const items = hasScreens(state) ? placeItems(state, messages.tray) : [];
    const isSignedIn = state.session.kind === 'signed-in';
    const shown = JSON.stringify([lines, items, messages.tray, isSignedIn, hasScreens(state)]);
    this.#showImage(countProblems(state) > 0 ? 'attention' : 'normal');
    if (this.#shown === shown) return;
    this.#shown = shown;
    this.#tray.setToolTip(`Latchkey: ${label}`);
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        ...lines.map((line) => ({ label: line, enabled: false })),
        { type: 'separator' },
        { label: messages.tray.open, click: () => this.#open() },
        ...items.map(({ label, place }) => ({ label, click: () => openPlace(place) })),
        { label: messages.tray.checkNow, enabled: isSignedIn, click: actions.checkNow },
        { label: messages.menu.settings, enabled: hasScreens(state), click: actions.openSettings },
        { type: 'separator' },
        { label: messages.tray.quit, click: () => app.quit() },
      ]),
    );
  }

  #showImage(name: keyof Images): void {
    if (this.#image === name) return;
    this.#image = name;
    this.#tray.setImage(this.#images[name]);
  }
}

/** macOS colors a template image to match the menu bar, and expects two pixels per point. */
function trayImage(icon: string, template: string): Electron.NativeImage {
  if (process.platform !== 'darwin') return nativeImage.createFromDataURL(icon);
  const bytes = Buffer.from(template.slice(template.indexOf(',') + 1), 'base64');
  const image = nativeImage.createFromBuffer(bytes, { scaleFactor: 2 });
  image.setTemplateImage(true);
  return image;
}

/** States how long everything works without the server, if known. */
function offlineLine({ license }: AppState, { messages, locale }: TrayOptions): string[] {
  if ((license.kind !== 'works' && license.kind !== 'offline') || license.worksUntil === null) return [];
  return [`${messages.tray.worksOfflineUntil}: ${dayOf(license.worksUntil, locale)}`];
}

/** States when the subscription ends, if that is soon or its payment has failed. */
function subscriptionLine(state: AppState, { messages, locale, now }: TrayOptions): string[] {
  const ending = subscriptionEndsSoon(state, now);
  return ending === undefined ? [] : [`${messages.notifications[`${ending.kind}Ends`]}: ${dayOf(ending.at, locale)}`];
}

function dayOf(at: string, locale: string): string {
  return new Date(at).toLocaleDateString(locale, { day: 'numeric', month: 'long' });
}

/** Returns the activation of a device that lacks one, and the new version of the app. */
function placeItems({ license, updates }: AppState, messages: Messages['tray']): PlaceItem[] {
  const items: PlaceItem[] = [];
  const needsKey = license.kind === 'not-activated' || license.kind === 'no-license';
  if (needsKey) items.push({ label: messages.activate, place: 'devices' });
  if (updates.available !== null)
    items.push({ label: `${messages.newVersion}: ${updates.available}`, place: 'installer' });
  return items;
}

/** Returns the license state in a few words. */
function trayLabel({ session, license, warnings, lease }: AppState, messages: Messages['tray']): string {
  if (session.kind !== 'signed-in' && license.kind === 'unknown') return messages.signedOut;
  const isSessionOver = session.kind === 'signed-out' && hasSessionEnded(session.reason);
  switch (license.kind) {
    case 'works':
      if (isSessionOver) return messages.signedOutWorks;
      return warnings.length > 0 ? messages.unusualActivity : messages.works;
    case 'offline':
      return isSessionOver ? messages.signedOutWorks : messages.offline;
    case 'waiting-for-lease':
      return lastingProblem(lease.problem) === null ? messages.waitingForLease : messages.leaseRefused;
    case 'offline-ended':
      return messages.offlineEnded;
    case 'not-activated':
      return messages.notActivated;
    case 'no-license':
      return messages.noLicense;
    case 'blocked':
      return messages.blocked;
    case 'unknown':
      return messages.unknown;
  }
}
