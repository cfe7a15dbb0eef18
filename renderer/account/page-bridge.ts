/** Provides `window.latchkey` on the account page, implemented by calls to the server that served the page. */
import type { User } from '../../shared/api/auth.ts';
import type { EndpointName, ResponseOf } from '../../shared/api/endpoints.ts';
import { previewApiKey } from '../../shared/formats/api-key.ts';
import type { AppState, Loaded } from '../../shared/ipc/app-state.ts';
import {
  describeReport,
  toAccountSessions,
  toDevice,
  toKnownKey,
  toPlaces,
  toServerOffers,
  withOffers,
} from '../../shared/ipc/from-api.ts';
import type { AccountBridge } from '../../shared/ipc/ipc-schema.ts';
import { type Done, type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { copyText } from '../components/CopyButton.tsx';
import { downloadText } from '../components/download-text.ts';
import { openTabChannel } from '../components/tab-channel.ts';
import { languageFor } from '../i18n/shared-messages.ts';
import { failureNow, ThrownFailure } from '../run-command.ts';
import { newIdempotencyKey } from '../send-request.ts';
import { type CallOptions, callApi } from './call-api.ts';
import { readSettings, storeSettings } from './page-settings.ts';
import { createPageState, signOutOf, toAccount, toFeatures } from './page-state.ts';

type Listener = (state: AppState) => void;

let state = createPageState(readSettings());
const listeners = new Set<Listener>();
/** The new API key, until the user confirms having saved it. */
let unsavedApiKey: string | null = null;
/** A requested API key whose response may have been lost: repeating the request returns the same key. */
let pendingApiKey: { readonly replace: boolean; readonly idempotencyKey: string } | null = null;
/** Idempotency-Key of a replacement whose response, with the new license key, may have been lost. */
let pendingLicenseKey: string | null = null;
/** Incremented at each sign-in and sign-out, so that a response to the previous user is discarded. */
let turn = 0;
/** Notifies the other tabs, which share the cookie, of a sign-in or sign-out. */
const otherTabs = openTabChannel('latchkey.account.session', () => void followSession());

function show(change: Partial<AppState>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener(state);
}

/** Calls the server; CANCELED if somebody has signed in or out meanwhile. */
async function call<N extends EndpointName>(name: N, options?: CallOptions<N>): Promise<Result<ResponseOf<N>>> {
  const before = turn;
  const result = await callApi(name, options);
  return before === turn ? result : fail(failureNow('CANCELED', 'Somebody else is signed in now.'));
}

function language() {
  return languageFor(state.settings.language);
}

/** Ends the page's session when the server says that it has ended. */
function conclude<T>(result: Result<T>): Result<T> {
  if (!result.ok && result.failure.code === 'INVALID_TOKEN' && state.session.kind === 'signed-in') {
    forget('session-expired');
  }
  return result;
}

function done(result: Result<unknown>): Done {
  const concluded = conclude(result);
  return concluded.ok ? succeed(null) : concluded;
}

function forget(reason: 'session-expired' | null): void {
  turn += 1;
  unsavedApiKey = null;
  pendingApiKey = null;
  pendingLicenseKey = null;
  state = signOutOf(state, reason);
  show({});
}

/** Returns whether the server lacks the endpoint because it sends no mail. */
function isMissing(result: Result<unknown>): boolean {
  return !result.ok && result.failure.code === 'NOT_FOUND';
}

function loadedFrom<T>(before: Loaded<T>, result: Result<T>): Loaded<T> {
  if (result.ok) return { value: result.value, loading: false, failure: null };
  const isOver = result.failure.code === 'INVALID_TOKEN' || result.failure.code === 'CANCELED';
  const failure = isOver ? null : result.failure;
  return { ...before, loading: false, failure };
}

function enter(user: User): void {
  forget(null);
  show({ session: { kind: 'signed-in', user, account: null } });
  void loadAccount();
}

function leave(): void {
  forget(null);
  otherTabs.notify();
}

/** Called when another tab has signed in or out, or the browser restores the page from its cache. */
async function followSession(): Promise<void> {
  const result = await call('accountSession');
  const { session } = state;
  const userId = session.kind === 'signed-in' ? session.user.id : null;
  if (result.ok && result.value.user.id !== userId) enter(result.value.user);
  else if (!result.ok && result.failure.code === 'INVALID_TOKEN' && userId !== null) forget(null);
}

/** Loads the subscription, license and features. */
async function loadAccount(): Promise<Done> {
  show({ syncing: true });
  const [status, features] = await Promise.all([
    call('subscriptionStatus'),
    call('features', { language: language() }),
  ]);
  show({ syncing: false });
  if (features.ok) show({ featureTexts: features.value.features });
  const { session } = state;
  if (status.ok && features.ok && session.kind === 'signed-in') {
    const account = toAccount(status.value, new Date().toISOString());
    const plan = account.subscription?.plan ?? account.license?.plan ?? 'free';
    const license = { kind: 'works', plan, until: null, worksUntil: null } as const;
    show({ session: { ...session, account }, features: toFeatures(account, features.value), license });
  }
  return done(status.ok ? features : status);
}

const bridge: AccountBridge = {
  onState(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  async getState() {
    const [result, about] = await Promise.all([callApi('accountSession'), callApi('about')]);
    if (about.ok) show({ server: { ...state.server, ...withOffers(toServerOffers(about.value)) } });
    if (result.ok) enter(result.value.user);
    else if (result.failure.code === 'INVALID_TOKEN') show({ session: { kind: 'signed-out', reason: null } });
    else throw new ThrownFailure(result.failure);
    return state;
  },

  async signIn({ email, password }) {
    const result = await callApi('accountSignIn', { body: { email: email.trim(), password } });
    if (!result.ok) return result;
    enter(result.value.user);
    otherTabs.notify();
    return succeed(null);
  },

  async signOut({ allDevices }) {
    const result = await callApi('accountSignOut', { body: { all_devices: allDevices } });
    if (!result.ok && result.failure.code !== 'INVALID_TOKEN') return result;
    leave();
    return succeed(null);
  },

  syncNow: loadAccount,

  async requestPasswordReset({ email, language }) {
    const result = await call('forgotPassword', { body: { email: email.trim() }, language });
    if (result.ok || isMissing(result)) {
      show({ server: { ...state.server, passwordReset: result.ok ? 'available' : 'missing' } });
    }
    return isMissing(result) ? notSupported() : done(result);
  },

  async changePassword({ currentPassword, newPassword, language }) {
    const body = { current_password: currentPassword, new_password: newPassword };
    const result = done(await call('changePassword', { body, language }));
    if (!result.ok) return result;
    // The server has voided the link for another address.
    show({ pendingEmail: null });
    await bridge.listSessions();
    return result;
  },

  async loadEmail() {
    const result = await call('emailStatus');
    const { session } = state;
    if (result.ok && session.kind === 'signed-in') {
      const { email, confirmation_needed: isEmailUnconfirmed } = result.value;
      const pendingEmail = state.pendingEmail === email ? null : state.pendingEmail;
      show({ session: { ...session, user: { ...session.user, email } }, isEmailUnconfirmed, pendingEmail });
    }
    if (result.ok || isMissing(result)) {
      show({ server: { ...state.server, emailChange: result.ok ? 'available' : 'missing' } });
    }
    return isMissing(result) ? notSupported() : done(result);
  },

  async changeEmail({ email, password, language }) {
    const body = { email: email.trim(), password };
    const result = done(await call('changeEmail', { body, language }));
    if (result.ok) show({ pendingEmail: body.email });
    return result;
  },

  async sendEmailConfirmation({ language }) {
    return done(await call('sendEmailConfirmation', { language }));
  },

  async listSessions() {
    show({ sessions: { ...state.sessions, loading: true } });
    const result = await call('sessions');
    const sessions = result.ok ? succeed(toAccountSessions(result.value.sessions)) : result;
    show({ sessions: loadedFrom(state.sessions, sessions) });
    return done(result);
  },

  async endSession({ sessionId }) {
    const result = await call('endSession', { params: { session_id: sessionId } });
    // A session that no longer exists counts as ended.
    if (!result.ok && !isMissing(result)) return done(result);
    return bridge.listSessions();
  },

  async deleteAccount({ password, language }) {
    const result = done(await call('deleteOwnAccount', { body: { password }, language }));
    if (result.ok) leave();
    return result;
  },

  async exportAccount() {
    const result = conclude(await call('exportAccount'));
    if (!result.ok) return result;
    const path = `latchkey-account-${new Date().toISOString().slice(0, 10)}.json`;
    downloadText(path, `${JSON.stringify(result.value, null, 2)}\n`);
    return succeed({ path });
  },

  async listDevices() {
    show({ devices: { ...state.devices, loading: true } });
    const result = await call('listActivations');
    const devices = result.ok ? succeed(result.value.activations.map((each) => toDevice(each, null))) : result;
    show({ devices: loadedFrom(state.devices, devices), ...(result.ok && { places: toPlaces(result.value) }) });
    return done(result);
  },

  async releaseDevice({ activationId }) {
    const result = await call('releaseActivation', { params: { activation_id: activationId } });
    if (!result.ok && !isMissing(result)) return done(result);
    await Promise.all([bridge.listDevices(), loadAccount()]);
    return succeed(null);
  },

  async checkApiKey() {
    const result = await call('apiKeyStatus');
    if (result.ok) {
      const { key } = result.value;
      show({ apiKey: key && { ...toKnownKey(key), unsaved: unsavedApiKey !== null } });
    }
    return done(result);
  },

  async generateApiKey({ replace }) {
    if (pendingApiKey?.replace !== replace) pendingApiKey = { replace, idempotencyKey: newIdempotencyKey() };
    const { idempotencyKey } = pendingApiKey;
    const reported = describeReport(state.apiKey);
    const result = conclude(await call('apiKey', { body: replace ? { regenerate: true } : {}, idempotencyKey }));
    if (!result.ok) {
      if (!isInconclusive(result.failure)) pendingApiKey = null;
      return result;
    }
    pendingApiKey = null;
    const { value } = result;
    const isNew = 'api_key' in value;
    const prefix = isNew ? previewApiKey(value.api_key) : value.api_key_prefix;
    if (isNew) unsavedApiKey = value.api_key;
    const known = { prefix, isLegacy: value.is_legacy, createdAt: value.created_at, revoked: null };
    show({ apiKey: { ...known, unsaved: unsavedApiKey !== null } });
    if (!isNew) return succeed({ kind: 'existing', prefix });
    return succeed({ kind: 'generated', apiKey: value.api_key, ...(reported && { reported }) });
  },

  copyApiKey: async () => copySecret(unsavedApiKey ?? ''),

  async confirmApiKeySaved() {
    unsavedApiKey = null;
    if (state.apiKey !== null) show({ apiKey: { ...state.apiKey, unsaved: false } });
    return succeed(null);
  },

  async replaceLicenseKey({ password, language }) {
    pendingLicenseKey ??= newIdempotencyKey();
    const idempotencyKey = pendingLicenseKey;
    const result = conclude(await call('replaceLicenseKey', { body: { password }, language, idempotencyKey }));
    if (result.ok || !isInconclusive(result.failure)) pendingLicenseKey = null;
    if (!result.ok) return result;
    await Promise.all([bridge.listDevices(), loadAccount()]);
    return succeed({ licenseKey: result.value.license_key });
  },

  copySecret: ({ secret }) => copySecret(secret),

  async changeSettings(change) {
    const settings = { ...state.settings, ...change };
    storeSettings({ theme: settings.theme, language: settings.language });
    show({ settings });
    if (change.language !== undefined && state.session.kind === 'signed-in') void loadAccount();
    return succeed(null);
  },

  // The account page has no configured links.
  openLink: async () => fail(failureNow('INTERNAL', 'There is no such page.')),
};

/** Returns whether the server may have carried out the request although no response confirms it. */
function isInconclusive({ code }: Failure): boolean {
  return code === 'SERVER_UNREACHABLE' || code === 'SERVER_RESPONSE_INVALID' || code === 'INTERNAL_ERROR';
}

async function copySecret(secret: string): Promise<Done> {
  return (await copyText(secret)) ? succeed(null) : fail(failureNow('INTERNAL', 'The browser did not allow copying.'));
}

function notSupported(): Done {
  return fail(failureNow('NOT_SUPPORTED_BY_SERVER', 'The server does not support this.'));
}

// The texts of the features come in the language of the page.
window.addEventListener('languagechange', () => {
  if (state.settings.language === 'system' && state.session.kind === 'signed-in') void loadAccount();
});
Object.defineProperty(window, 'latchkey', { value: bridge });
