/** Signs staff in through the operator's identity provider, and lets them confirm irreversible actions there. */
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { AccountService } from '../accounts/account.service.ts';
import { type AuditContext, type AuditTarget, accountTarget, byAnonymous } from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import type { Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { hashSecretToken } from '../secret-token.ts';
import type { OidcConfig } from '../settings/config.ts';
import { byStaff, type SignedInStaff, type Site, urlOf } from '../staff/signed-in-staff.ts';
import type { StaffAdminService } from '../staff/staff-admin.service.ts';
import type { Browser, OpenedSession, StaffSessionService } from '../staff/staff-session.service.ts';
import { consumeChallenge } from '../staff/used-challenges.ts';
import { findRole, requireVerifiedEmail } from './identity.rules.ts';
import { clockToleranceMs, type Identity, type IdentityProvider } from './identity-provider.ts';
import { SingleSignOnRefused } from './provider-errors.ts';
import { attemptTtlMs, type NewAttempt, type SignInAttempt, type SignInAttempts } from './sign-in-attempt.ts';

type SingleSignOnServiceDeps = AuditedDeps & {
  readonly oidc: OidcConfig;
  readonly accounts: AccountService;
  readonly attempts: SignInAttempts;
  readonly provider: IdentityProvider;
  readonly staffAdmin: StaffAdminService;
  readonly staffSessions: StaffSessionService;
};

/** The URL to send the browser to, and the cookie that it has to send back. */
export type StartedAttempt = { readonly url: string; readonly sealed: string };

type FinishedAttempt = {
  readonly result: 'signed_in' | 'confirmed';
  readonly isNewWindow: boolean;
  readonly session: OpenedSession;
};

/** A person who may use the admin page, according to the provider. */
type Admitted = { readonly email: string; readonly role: StaffRole; readonly authenticatedAtMs: number | undefined };

/** Name of these sign-ins in the audit log. */
const method = 'single sign-on';

/** Each method throws `SingleSignOnRefused`. */
export class SingleSignOnService {
  readonly #deps: SingleSignOnServiceDeps;

  constructor(deps: SingleSignOnServiceDeps) {
    this.#deps = deps;
  }

  async startSignIn(site: Site, { previousToken }: Browser, isNewWindow: boolean): Promise<StartedAttempt> {
    const callbackUrl = formatCallbackUrl(site);
    return this.#start({
      purpose: { kind: 'sign_in' },
      callbackUrl,
      isNewWindow,
      ...(previousToken !== undefined && { previousToken }),
    });
  }

  /** Starts a confirmation. The provider opens in another window, while the page waits. */
  async startConfirmation({ id, email, sessionId }: SignedInStaff, site: Site): Promise<StartedAttempt> {
    const purpose = { kind: 'confirm', sessionId, userId: id } as const;
    return this.#start({ purpose, callbackUrl: formatCallbackUrl(site), isNewWindow: true }, email);
  }

  /** Finishes an attempt. `sealed` is the browser's cookie, `answer` the provider's parameters. Records a refusal. */
  async finish(sealed: string | undefined, answer: URLSearchParams, browser: Browser): Promise<FinishedAttempt> {
    const attempt = sealed === undefined ? undefined : this.#deps.attempts.open(sealed);
    try {
      if (!attempt || answer.get('state') !== attempt.state) {
        throw new SingleSignOnRefused('SSO_EXPIRED', 'no such sign-in was begun in this browser within ten minutes');
      }
      await this.#spend(attempt);
      return await this.#enter(attempt, await this.#deps.provider.redeem(attempt, answer), browser);
    } catch (error) {
      if (!(error instanceof SingleSignOnRefused)) throw error;
      if (attempt) error.isNewWindow = attempt.isNewWindow;
      await this.#recordRefusal(error, attempt, browser);
      throw error;
    }
  }

  async #start(request: NewAttempt, email?: string): Promise<StartedAttempt> {
    const { attempts, provider } = this.#deps;
    const attempt = attempts.create(request);
    return { url: await provider.authorizationUrl(attempt, email), sealed: attempts.seal(attempt) };
  }

  /**
   * Records the use of the attempt. This is a separate write before the request to the provider, so that only one of
   * two simultaneous answers is used.
   */
  async #spend({ state, startedAtMs }: SignInAttempt): Promise<void> {
    const { database, clock } = this.#deps;
    const challenge = { challenge_hash: hashSecretToken(state), expires_at_ms: startedAtMs + attemptTtlMs };
    if (await database.write((transaction) => consumeChallenge(transaction, challenge, clock.now()))) return;
    throw new SingleSignOnRefused('SSO_EXPIRED', 'this sign-in was used already');
  }

  async #enter(attempt: SignInAttempt, identity: Identity, browser: Browser): Promise<FinishedAttempt> {
    const { purpose, isNewWindow, previousToken } = attempt;
    const admitted = this.#admit(identity);
    if (purpose.kind === 'confirm') {
      this.#requireFreshSignIn(attempt, admitted);
      const session = await this.#confirm(purpose, admitted, browser);
      return { result: 'confirmed', isNewWindow, session };
    }
    const from = { ...browser, ...(previousToken !== undefined && { previousToken }) };
    return { result: 'signed_in', isNewWindow, session: await this.#signIn(admitted, from) };
  }

  #admit({ sources, authenticatedAtMs }: Identity): Admitted {
    const email = requireVerifiedEmail(sources);
    const role = findRole(sources, this.#deps.oidc);
    if (role !== undefined) return { email, role, authenticatedAtMs };
    throw new SingleSignOnRefused('SSO_NO_ROLE', 'no group with a role', { email });
  }

  /** Requires that the person has signed in at the provider again, as the provider was asked to ensure. */
  #requireFreshSignIn({ startedAtMs }: SignInAttempt, { authenticatedAtMs = 0 }: Admitted): void {
    if (authenticatedAtMs >= startedAtMs - clockToleranceMs) return;
    throw new SingleSignOnRefused('SSO_NOT_CONFIRMED', 'the provider did not ask to sign in again');
  }

  /**
   * Signs the member in. Counts as a confirmation only while the sign-in at the provider is recent; that may have been
   * hours ago.
   */
  #signIn({ authenticatedAtMs = 0, ...admitted }: Admitted, browser: Browser): Promise<OpenedSession> {
    const { database, staffSessions } = this.#deps;
    return database.write(async (transaction) => {
      const member = await this.#apply(transaction, admitted, browser);
      return staffSessions.signIn(transaction, member, browser, { method, confirmedAtMs: authenticatedAtMs });
    });
  }

  /** Confirms the session and replaces its secret. */
  #confirm(
    { sessionId, userId }: Extract<SignInAttempt['purpose'], { kind: 'confirm' }>,
    admitted: Admitted,
    browser: Browser,
  ): Promise<OpenedSession> {
    const { database, staffSessions } = this.#deps;
    return database.write(async (transaction) => {
      const member = await this.#apply(transaction, admitted, browser);
      // Rolls back what was written.
      if (member.id !== userId) {
        throw new SingleSignOnRefused('SSO_OTHER_ACCOUNT', 'somebody else signed in where a member had to confirm');
      }
      const proof = { by: byStaff(member, browser.address), method } as const;
      return staffSessions.confirm(transaction, { id: userId, sessionId }, proof).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        throw new SingleSignOnRefused('SSO_SESSION_ENDED', 'the session has ended');
      });
    });
  }

  /** Creates or updates the staff account as the provider says, and returns it. */
  async #apply(transaction: Transaction, { email, role }: Pick<Admitted, 'email' | 'role'>, { address }: Browser) {
    const byProvider: AuditContext = { actor: { kind: 'provider', name: method }, address };
    const admitting = this.#deps.staffAdmin.admit(transaction, { email, role }, byProvider);
    return admitting.catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
      throw new SingleSignOnRefused('SSO_CONFLICT', error.message, { email });
    });
  }

  async #recordRefusal(
    { message, email }: SingleSignOnRefused,
    attempt: SignInAttempt | undefined,
    { address }: Browser,
  ): Promise<void> {
    const target = await this.#findTarget(attempt, email);
    const details = { method, reason: message };
    this.#deps.auditLog.recordRefusal({ ...byAnonymous(address), action: 'staff.sign_in_refused', target, details });
  }

  async #findTarget(attempt: SignInAttempt | undefined, email: string | undefined): Promise<AuditTarget> {
    if (attempt?.purpose.kind === 'confirm') return accountTarget(attempt.purpose.userId);
    const account = email === undefined ? undefined : await this.#deps.accounts.findByEmail(email);
    return account ? accountTarget(account.id) : { kind: 'account', id: '', label: email ?? '' };
  }
}

/** Returns the URL that the provider sends browsers back to. It must be registered there for the client. */
function formatCallbackUrl(site: Site): string {
  return `${urlOf(site)}${callbackPath}`;
}

export const callbackPath = '/admin/oidc/callback';
