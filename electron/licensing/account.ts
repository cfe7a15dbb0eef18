/** Account management: changes the password and email address, lists the sessions and ends one. */
import type { AccountSession, Capability, Loaded, ServerState } from '../../shared/ipc/app-state.ts';
import { toAccountSessions } from '../../shared/ipc/from-api.ts';
import type { CommandInput } from '../../shared/ipc/ipc-schema.ts';
import { type Done, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiClient } from './api-client.ts';
import type { ApiResult } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { isEndOfSession } from './failure.ts';
import { SerialQueue } from './serial-queue.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

type AccountDeps = {
  readonly api: ApiClient;
  readonly session: Session;
  readonly activity: ActivityLog;
  readonly trustedTime: TrustedTime;
  readonly changes: ChangeNotifier;
};

type Capabilities = Pick<ServerState, 'accountManagement' | 'passwordReset' | 'emailChange'>;

const notLoaded: Loaded<readonly AccountSession[]> = { value: null, loading: false, failure: null };
const unknown: Capabilities = { accountManagement: 'unknown', passwordReset: 'unknown', emailChange: 'unknown' };

/** Upper limit of the lifetime of the server's links. */
const linkTtlMs = 24 * 60 * 60_000;

export class Account {
  readonly #deps: AccountDeps;
  /** Serializes loads, so that an older list never replaces a newer one. */
  readonly #loads = new SerialQueue();
  #sessions = notLoaded;
  #capabilities = unknown;
  #isEmailUnconfirmed = false;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  /** The account's sessions as last loaded. */
  get sessions(): Loaded<readonly AccountSession[]> {
    return this.#sessions;
  }

  /** Which of these operations the server supports. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** True while the server waits for the user to confirm the email address. */
  get isEmailUnconfirmed(): boolean {
    return this.#isEmailUnconfirmed;
  }

  /** The new address that a confirmation link was sent to, until the link is opened or expires. */
  get pendingEmail(): string | null {
    const { session, trustedTime } = this.#deps;
    const pending = session.pendingEmail;
    if (pending === null || trustedTime.nowMs() - pending.sentAtMs >= linkTtlMs) return null;
    return pending.email;
  }

  /** Loads the account's email address and whether it is confirmed. */
  async loadEmail(): Promise<Done> {
    const { session, activity } = this.#deps;
    const result = await session.call('emailStatus');
    if (result.kind === 'success') {
      const { email, confirmation_needed } = result.response;
      this.#isEmailUnconfirmed = confirmation_needed;
      if (session.user && session.user.email !== email) {
        activity.add('email-changed', email);
        await session.changeEmail(email);
      }
    }
    return this.#conclude(result, 'emailChange');
  }

  /** Has the server mail a link to the new address, which takes effect once the user opens it. */
  async changeEmail({ email, password, language }: CommandInput<'changeEmail'>): Promise<Done> {
    const { session, trustedTime } = this.#deps;
    const body = { email: email.trim(), password };
    const result = await session.call('changeEmail', { body, language });
    if (result.kind === 'success') await session.awaitEmail({ email: body.email, sentAtMs: trustedTime.nowMs() });
    return this.#conclude(result, 'emailChange');
  }

  async sendEmailConfirmation({ language }: CommandInput<'sendEmailConfirmation'>): Promise<Done> {
    return this.#conclude(await this.#deps.session.call('sendEmailConfirmation', { language }), 'emailChange');
  }

  async requestPasswordReset({ email, language }: CommandInput<'requestPasswordReset'>): Promise<Done> {
    const result = await this.#deps.api.call('forgotPassword', { body: { email: email.trim() }, language });
    return this.#conclude(result, 'passwordReset');
  }

  /** Changes the password. This device stays signed in; the server ends every other session and voids mailed links. */
  async changePassword(input: CommandInput<'changePassword'>): Promise<Done> {
    const { session, activity } = this.#deps;
    const { currentPassword: current_password, newPassword: new_password, language } = input;
    const result = await session.call('changePassword', (refresh_token) => ({
      body: { current_password, new_password, refresh_token },
      language,
    }));
    const done = this.#conclude(result, 'accountManagement');
    if (!done.ok) return done;
    activity.add('password-changed', null);
    // The server has voided the link.
    await session.awaitEmail(null);
    await this.loadSessions();
    return done;
  }

  async delete({ password, language }: CommandInput<'deleteAccount'>): Promise<Done> {
    const result = await this.#deps.session.call('deleteOwnAccount', { body: { password }, language });
    return this.#conclude(result, 'accountManagement');
  }

  /** Returns what the server stores about the account, as JSON text. */
  async exportData(): Promise<Result<string>> {
    const result = await this.#deps.session.call('exportAccount');
    this.#conclude(result, 'accountManagement');
    if (result.kind !== 'success') return fail(result.failure);
    return succeed(`${JSON.stringify(result.response, null, 2)}\n`);
  }

  /** Reloads the sessions; keeps the previous ones if that fails. */
  loadSessions(): Promise<Done> {
    return this.#loads.run(() => this.#loadSessions());
  }

  async #loadSessions(): Promise<Done> {
    this.#show({ ...this.#sessions, loading: true });
    const { session } = this.#deps;
    const result = await session.call('sessions');
    const done = this.#conclude(result, 'accountManagement');
    if (result.kind === 'success') {
      this.#show({ value: toAccountSessions(result.response.sessions), loading: false, failure: null });
    } else {
      const isShown = !isEndOfSession(result.failure, session) && result.kind !== 'unsupported';
      this.#show({ ...this.#sessions, loading: false, failure: isShown ? result.failure : null });
    }
    return done;
  }

  /** Ends a session; one that no longer exists counts as ended. */
  async endSession(sessionId: string): Promise<Done> {
    const result = await this.#deps.session.call('endSession', { params: { session_id: sessionId } });
    const isGone = result.kind === 'error' && result.failure.code === 'NOT_FOUND';
    const done = isGone ? succeed(null) : this.#conclude(result, 'accountManagement');
    if (done.ok) await this.loadSessions();
    return done;
  }

  /** Clears the data of the account that has signed out. */
  forget(): void {
    this.#isEmailUnconfirmed = false;
    this.#show(notLoaded);
  }

  /** Called when the server has changed. */
  forgetServer(): void {
    this.#capabilities = unknown;
  }

  /** Records whether the server supports the operation; only a conclusive response tells. */
  #conclude(result: ApiResult<unknown>, capability: keyof Capabilities): Done {
    if (result.kind === 'success') this.#setCapability(capability, 'available');
    if (result.kind === 'unsupported') this.#setCapability(capability, 'missing');
    return result.kind === 'success' ? succeed(null) : fail(result.failure);
  }

  #setCapability(name: keyof Capabilities, capability: Capability): void {
    this.#capabilities = { ...this.#capabilities, [name]: capability };
    this.#deps.changes.notify();
  }

  #show(sessions: Loaded<readonly AccountSession[]>): void {
    this.#sessions = sessions;
    this.#deps.changes.notify();
  }
}
