/** Passkeys of staff (WebAuthn): adds and removes them, signs in with them, and confirms irreversible actions. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import type {
  addPasskeyRequest,
  passkey,
  passkeyOptions,
  passkeySignInRequest,
} from '../../shared/api/admin/session.ts';
import {
  type AuditContext,
  type AuditTarget,
  accountTarget,
  byAnonymous,
  staffIdOf,
  unknownAccount,
} from '../audit/audit-event.ts';
import type { AuditedDeps } from '../audit/audit-log.service.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { MailQueueService } from '../mail/mail-queue.service.ts';
import * as repository from './passkey.repository.ts';
import type { ChallengePurpose, PasskeyChallenges } from './passkey-challenge.ts';
import { allowsPasskeys, type SignedInStaff, type Site } from './signed-in-staff.ts';
import { findStaff } from './staff.repository.ts';
import type { StaffMembersService } from './staff-members.service.ts';
import type { Browser, OpenedSession, StaffSessionService } from './staff-session.service.ts';
import { consumeChallenge } from './used-challenges.ts';

type Passkey = z.output<typeof passkey>;
type PasskeyOptions = z.output<typeof passkeyOptions>;
type SignInRequest = z.output<typeof passkeySignInRequest>;
type AddRequest = z.output<typeof addPasskeyRequest>;

type PasskeyServiceDeps = AuditedDeps & {
  readonly challenges: PasskeyChallenges;
  readonly staffMembers: StaffMembersService;
  readonly staffSessions: StaffSessionService;
  readonly mailQueue: MailQueueService;
};

const maxPasskeys = 20;
/**
 * Maximum length of a credential id: 1023 bytes as base64url (WebAuthn, section 4). A PostgreSQL index has no room for
 * much more.
 */
const maxIdLength = 1364;
const relyingPartyName = 'Latchkey';

/**
 * EdDSA, ES256 and RS256 (COSE). The library would also offer ML-DSA, for which Node prints an experimental warning.
 */
const algorithms = [-8, -7, -257];

/** A verified response of a passkey, and what to record about it. */
type Verified = {
  readonly row: repository.PasskeyRow;
  readonly counter: number;
  readonly challenge: Tables['used_challenges'];
};

type PasskeyRemoval = {
  readonly credentialId: string;
  /** Required owner of the passkey. */
  readonly staffId: string | 'any';
  /** Session to keep when a member removes one of their own passkeys. */
  readonly keptId?: string;
};

/** Loaded on demand: most server starts need no passkey. */
const loadLibrary = () => import('./webauthn.ts');

/**
 * `site` is the address of the page. With LATCHKEY_PUBLIC_URL, a passkey belongs to that address. Without it, the
 * sender of a request chooses its Host, so a passkey belongs only to the origin, including the port, where it was
 * added.
 */
export class PasskeyService {
  readonly #deps: PasskeyServiceDeps;

  constructor(deps: PasskeyServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates options for signing in; the browser offers the passkeys that it has for this host. Throws `ApiError`
   * FORBIDDEN if the host cannot have any.
   */
  async signInOptions(site: Site): Promise<PasskeyOptions> {
    return this.#createOptions(site, 'sign_in', []);
  }

  /** Signs a staff member in. Throws `ApiError` INVALID_CREDENTIALS. */
  async signIn({ credential }: SignInRequest, site: Site, browser: Browser): Promise<OpenedSession> {
    const { database, staffSessions } = this.#deps;
    const { address } = browser;
    return this.#recordingRefusal(byAnonymous(address), unknownAccount, async () => {
      const verified = await this.#verify(credential, site, 'sign_in');
      const { user_id } = verified.row;
      return database.write(async (transaction) => {
        await lockByName(transaction, 'staff');
        const member = await findStaff(transaction, user_id);
        if (!member) throw unknownPasskey();
        await this.#recordUse(transaction, verified);
        return staffSessions.signIn(transaction, { id: user_id, email: member.email }, browser, { method: 'passkey' });
      });
    });
  }

  /** Creates options for confirming with one of the member's passkeys. */
  async confirmOptions(staff: SignedInStaff, site: Site): Promise<PasskeyOptions> {
    const own = await repository.listPasskeys(this.#deps.database.read, staff.id);
    return this.#createOptions(site, `confirm ${staff.sessionId}`, own.filter(isOf(site)));
  }

  /** Confirms the session and replaces its secret. Throws `ApiError` INVALID_CREDENTIALS. */
  async confirm(
    staff: SignedInStaff,
    { credential }: SignInRequest,
    { site, by }: { site: Site; by: AuditContext },
  ): Promise<OpenedSession> {
    const { database, staffSessions } = this.#deps;
    return this.#recordingRefusal(by, accountTarget(staff.id), async () => {
      const verified = await this.#verifyOwn(staff, credential, site);
      return database.write(async (transaction) => {
        await lockByName(transaction, 'staff');
        await this.#recordUse(transaction, verified);
        return staffSessions.confirm(transaction, staff, { by, method: 'passkey' });
      });
    });
  }

  /** Creates options for adding a passkey that the member does not have yet. */
  async addOptions(staff: SignedInStaff, site: Site): Promise<PasskeyOptions> {
    requirePasskeys(site);
    const { database, challenges } = this.#deps;
    const own = await repository.listPasskeys(database.read, staff.id);
    const { generateRegistrationOptions } = await loadLibrary();
    const options = await generateRegistrationOptions({
      rpName: relyingPartyName,
      rpID: site.hostname,
      userName: staff.email,
      userID: new TextEncoder().encode(staff.id),
      challenge: toBytes(challenges.create(`add ${staff.sessionId}`)),
      attestationType: 'none',
      excludeCredentials: own.filter(isOf(site)).map(toDescriptor),
      supportedAlgorithmIDs: algorithms,
      // Discoverable, so that sign-in needs no email address; with user verification, so that it needs no password
      // either.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { options: { ...options } };
  }

  /** Adds a passkey. Throws `ApiError` VALIDATION_ERROR, CONFLICT, or INVALID_TOKEN if the session has just ended. */
  async add(
    staff: SignedInStaff,
    { name, credential }: AddRequest,
    context: { site: Site; by: AuditContext },
  ): Promise<Passkey> {
    const { database, clock, auditLog, staffSessions, mailQueue } = this.#deps;
    const { publicKey, challenge } = await this.#verifyNew(credential, context.site, `add ${staff.sessionId}`);
    const row = {
      credential_id: publicKey.id,
      user_id: staff.id,
      public_key: Buffer.from(publicKey.publicKey).toString('base64url'),
      counter: publicKey.counter,
      transports: credential.response.transports.filter((transport) => /^[\w-]+$/.test(transport)).join(','),
      name: name.trim() || 'Passkey',
      created_at_ms: clock.now(),
      last_used_at_ms: null,
      origin: context.site.origin,
    };
    await database.write(async (transaction) => {
      await lockByName(transaction, 'staff');
      await this.#consumeChallenge(transaction, challenge);
      const own = await repository.listPasskeys(transaction, staff.id);
      if (own.length >= maxPasskeys) throw new ApiError('CONFLICT', `You can have at most ${maxPasskeys} passkeys.`);
      // A new password may have ended the session, but would not end the passkey.
      await staffSessions.requireOpen(transaction, staff.sessionId);
      const isNew = await repository.insertPasskey(transaction, row);
      if (!isNew) throw new ApiError('CONFLICT', 'This passkey was added already.');
      await auditLog.record(transaction, {
        ...context.by,
        action: 'staff.passkey_add',
        target: accountTarget(staff.id),
      });
      const change = { kind: 'passkey_added', name: row.name } as const;
      await mailQueue.add(transaction, { kind: 'staff_changed', email: staff.email, change });
    });
    return toPasskey(row);
  }

  /** Returns the member's passkeys, oldest first. */
  async list(staffId: string): Promise<Passkey[]> {
    return (await repository.listPasskeys(this.#deps.database.read, staffId)).map(toPasskey);
  }

  /**
   * Removes and returns a passkey of this member, or of any. Ends the member's sessions except `keptId`, because one
   * may have been opened by someone else who has the passkey. Throws `ApiError` NOT_FOUND, and FORBIDDEN for another
   * member's if the acting member is no longer an owner.
   */
  async remove({ credentialId, staffId, keptId }: PasskeyRemoval, by: AuditContext): Promise<Passkey> {
    const { database, auditLog, staffMembers, staffSessions } = this.#deps;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'staff');
      const row = await repository.findPasskey(transaction, credentialId);
      if (!row || (staffId !== 'any' && row.user_id !== staffId)) throw passkeyMissing();
      const isOwn = staffIdOf(by) === row.user_id;
      if (!isOwn) await staffMembers.requireRole(transaction, by, 'owner');
      if (!(await repository.deletePasskey(transaction, row.credential_id))) throw passkeyMissing();
      await staffSessions.endAll(transaction, row.user_id, keptId);
      const target = accountTarget(row.user_id);
      await auditLog.record(transaction, { ...by, action: 'staff.passkey_remove', target });
      return toPasskey(row);
    });
  }

  async #createOptions(
    site: Site,
    purpose: ChallengePurpose,
    allowed: readonly repository.PasskeyRow[],
  ): Promise<PasskeyOptions> {
    requirePasskeys(site);
    const { generateAuthenticationOptions } = await loadLibrary();
    const options = await generateAuthenticationOptions({
      rpID: site.hostname,
      challenge: toBytes(this.#deps.challenges.create(purpose)),
      allowCredentials: allowed.map(toDescriptor),
      userVerification: 'required',
    });
    return { options: { ...options } };
  }

  async #verify(credential: SignInRequest['credential'], site: Site, purpose: ChallengePurpose): Promise<Verified> {
    const row = await repository.findPasskey(this.#deps.database.read, credential.id);
    if (!row) throw unknownPasskey();
    if (!isOf(site)(row)) throw new ApiError('INVALID_CREDENTIALS', describeOrigin(row));
    const { verifyAuthenticationResponse } = await loadLibrary();
    const challenge = this.#expectChallenge(purpose);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge.isExpected,
      expectedOrigin: site.origin,
      expectedRPID: site.hostname,
      requireUserVerification: true,
      credential: { id: row.credential_id, publicKey: toBytes(row.public_key), counter: row.counter },
    }).catch(() => {
      throw unknownPasskey();
    });
    if (!verified || !challenge.found) throw unknownPasskey();
    return { row, counter: authenticationInfo.newCounter, challenge: challenge.found };
  }

  async #verifyOwn(staff: SignedInStaff, credential: SignInRequest['credential'], site: Site): Promise<Verified> {
    const verified = await this.#verify(credential, site, `confirm ${staff.sessionId}`);
    if (verified.row.user_id !== staff.id) throw unknownPasskey();
    return verified;
  }

  async #verifyNew(credential: AddRequest['credential'], site: Site, purpose: ChallengePurpose) {
    const { verifyRegistrationResponse, withoutAttestation } = await loadLibrary();
    const challenge = this.#expectChallenge(purpose);
    const verify = async () =>
      verifyRegistrationResponse({
        response: withoutAttestation(credential as unknown as RegistrationResponseJSON),
        expectedChallenge: challenge.isExpected,
        expectedOrigin: site.origin,
        expectedRPID: site.hostname,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
    const { registrationInfo } = await verify().catch(() => ({ registrationInfo: undefined }));
    if (!registrationInfo || !challenge.found || registrationInfo.credential.id.length > maxIdLength) {
      throw new ApiError('VALIDATION_ERROR', 'The new passkey could not be verified. Try again.');
    }
    return { publicKey: registrationInfo.credential, challenge: challenge.found };
  }

  #expectChallenge(purpose: ChallengePurpose) {
    const expected = {
      found: undefined as Verified['challenge'] | undefined,
      isExpected: (challenge: string): boolean => {
        expected.found = this.#deps.challenges.read(challenge, purpose);
        return expected.found !== undefined;
      },
    };
    return expected;
  }

  async #recordUse(transaction: Transaction, { row, counter, challenge }: Verified): Promise<void> {
    await this.#consumeChallenge(transaction, challenge);
    const change = { counter, last_used_at_ms: this.#deps.clock.now() };
    // The passkey may have been removed, or used again, since it was verified.
    if (!(await repository.updatePasskey(transaction, row, change))) throw unknownPasskey();
  }

  async #consumeChallenge(transaction: Transaction, challenge: Verified['challenge']): Promise<void> {
    if (!(await consumeChallenge(transaction, challenge, this.#deps.clock.now()))) throw unknownPasskey();
  }

  /** Records an entry if `work` throws INVALID_CREDENTIALS. */
  #recordingRefusal<T>(by: AuditContext, target: AuditTarget, work: () => Promise<T>): Promise<T> {
    return this.#deps.auditLog.recordingRefusal(work, (error) => {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_CREDENTIALS') return undefined;
      return { ...by, action: 'staff.sign_in_refused', target, details: { reason: 'passkey not accepted' } };
    });
  }
}

function requirePasskeys(site: Site): void {
  if (allowsPasskeys(site)) return;
  throw new ApiError('FORBIDDEN', 'Passkeys need a host name and HTTPS, or localhost. Open the page under its name.');
}

/** Returns a predicate that is true for passkeys usable on this site. */
function isOf({ isConfigured, origin }: Site): (row: repository.PasskeyRow) => boolean {
  return (row) => isConfigured || row.origin === origin;
}

function describeOrigin({ origin }: repository.PasskeyRow): string {
  return `This passkey was added at ${origin}. Open the admin page there, or use your password.`;
}

function passkeyMissing(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such passkey.');
}

function unknownPasskey(): ApiError {
  return new ApiError('INVALID_CREDENTIALS', 'This passkey was not accepted. Try again, or use your password.');
}

function toDescriptor({ credential_id, transports }: repository.PasskeyRow) {
  return { id: credential_id, transports: transports === '' ? [] : transports.split(',') };
}

function toPasskey(row: repository.PasskeyRow): Passkey {
  return {
    id: row.credential_id,
    name: row.name,
    created_at: toIso(row.created_at_ms),
    last_used_at: toIsoOrNull(row.last_used_at_ms),
  };
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}
