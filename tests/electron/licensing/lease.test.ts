/** The lease of the client on its own: what it tells, stores, requests, reads and removes. */
import { describe, expect, it } from 'vitest';
import { ActivityLog } from '../../../electron/licensing/activity-log.ts';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { endLease, Lease } from '../../../electron/licensing/lease.ts';
import { createLeaseAccount } from '../../../electron/licensing/lease-account.ts';
import { type LicenseFacts, LicenseStore } from '../../../electron/licensing/license-store.ts';
import { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import type { LeaseClaims } from '../../../shared/lease.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { sampleClaims } from './sample-claims.ts';
import { dayMs } from './start-leased.ts';

/** Starts only the lease modules of the client; Ada is signed in, and the server responds with `answers`. */
async function startAlone({ pinned = false, signedIn = true, opened = true } = {}) {
  const platform = createFakePlatform();
  const { clock, log, secrets, subtle } = platform;
  const startMs = clock.now();
  const owner = { serverAddress: 'https://owner.org', accountId: 'ada', deviceId: 'HW-1' };
  const signer = new LeaseSigner();
  const known = [signer];
  const store = new LicenseStore({ secrets, log, subtle });
  if (opened) await store.open(owner, null);
  const trustedTime = new TrustedTime({ clock });
  const leaseAccount = createLeaseAccount({ secrets, log });
  const activity = new ActivityLog({ clock });
  const answers: (ApiResult<unknown> | (() => ApiResult<unknown> | Promise<ApiResult<unknown>>))[] = [];
  const calls: unknown[][] = [];
  const session = {
    user: signedIn ? { id: 'ada' } : null,
    serverAddress: signedIn ? 'https://session.org' : null,
    call: async (...args: unknown[]) => {
      calls.push(args);
      const answer = answers.shift();
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const keysAskedFor: (string | null)[] = [];
  const refreshed = { times: 0, adds: null as LeaseSigner | null, meanwhile: async () => {} };
  const leaseKeys = {
    arePinned: pinned,
    source: pinned ? 'built-in' : 'first-use',
    of: (address: string | null) => {
      keysAskedFor.push(address);
      return { keys: known.map(({ jwk }) => jwk) };
    },
    refresh: async () => {
      refreshed.times++;
      await refreshed.meanwhile();
      if (refreshed.adds) known.push(refreshed.adds);
    },
  };
  const about = { current: null as { leases: boolean } | null };
  let notified = 0;
  const lease = new Lease({
    session,
    store,
    leaseKeys,
    leaseAccount,
    deviceIdentity: { id: 'HW-1', load: async () => {} },
    preferences: { current: { serverAddress: 'https://preferred.org' } },
    serverAbout: about,
    trustedTime,
    subtle,
    activity,
    clock,
    log,
    changes: { notify: () => void notified++ },
  } as never);
  /** Claims issued `inMs` after the start and valid for two hours. */
  const claimsAt = (inMs = 0, more: Partial<LeaseClaims> = {}): LeaseClaims => {
    const issuedMs = startMs + inMs;
    return { ...sampleClaims({ issuedMs, renewAfterMs: issuedMs + hourMs, endMs: issuedMs + 2 * hourMs }), ...more };
  };
  const signedAt = (inMs = 0, more: Partial<LeaseClaims> = {}) => signer.signClaims(claimsAt(inMs, more));
  const give = (text: string): ApiResult<unknown> => ({
    kind: 'success',
    response: { lease: text, renew_after: '', expires_at: '' },
    serverTimeMs: null,
  });
  const renewWith = (answer: ApiResult<unknown>) => {
    answers.push(answer);
    return lease.renew();
  };
  const read = async (text: string) => {
    const result = await lease.read(text);
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  };
  const importText = async (text: string) => {
    const result = await lease.import(await read(text));
    return result.ok ? 'taken' : result.failure.problem;
  };
  const noted = () => activity.entries.map(({ kind, detail }) => [kind, detail]);
  return {
    ...{ platform, clock, startMs, owner, signer, known, store, trustedTime, leaseAccount, session, answers, calls },
    ...{ keysAskedFor, refreshed, about, lease, claimsAt, signedAt, give, renewWith, read, importText, noted },
    notified: () => notified,
  };
}

const hourMs = 3_600_000;
const no = { message: 'No.', at: '2026-03-03T09:00:00.000Z' };
const unsupported: ApiResult<unknown> = { kind: 'unsupported', failure: { code: 'NOT_SUPPORTED_BY_SERVER', ...no } };
const inconclusive: ApiResult<unknown> = { kind: 'inconclusive', failure: { code: 'SERVER_UNREACHABLE', ...no } };
const refusal: ApiResult<unknown> = { kind: 'error', failure: { code: 'LICENSE_INACTIVE', ...no } };
const noInfo = { kid: null, license: null, issuedAt: null, renewAfter: null, expiresAt: null };
/** Facts of an activated device whose license key has the preview that the leases name. */
const activatedFacts: Partial<LicenseFacts> = {
  licenseKey: 'SVC-AB12-CD34-EF56-GH7X',
  localChange: { kind: 'activated', activations: 1, maxActivations: 3, at: no.at },
};

describe('the lease information', () => {
  it.each([
    [false, 'first-use'],
    [true, 'built-in'],
  ])('without a lease has only the source of the keys (pinned: %s)', async (pinned, keys) => {
    const { lease } = await startAlone({ pinned });
    expect(lease.info).toEqual({ state: 'none', problem: null, keys, ...noInfo });
    const none = { claims: null, goodClaims: null, goodForMs: null, floorMs: 0 };
    expect(lease).toMatchObject({ ...none, arePinned: pinned, isNeeded: pinned });
  });

  it('has the license of the lease and when it was issued, is renewed and expires', async () => {
    const { lease, renewWith, give, signedAt, claimsAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    const info = {
      state: 'good',
      problem: null,
      kid: 'lease-1',
      keys: 'first-use',
      license: 'SVC-AB12...GH7X',
      issuedAt: '2026-03-03T09:00:00.000Z',
      renewAfter: '2026-03-03T10:00:00.000Z',
      expiresAt: '2026-03-03T11:00:00.000Z',
    };
    expect(lease.info).toEqual(info);
    expect(lease).toMatchObject({ claims: claimsAt(), goodClaims: claimsAt(), isNeeded: true });
    await clock.advance(2 * hourMs - 1);
    expect(lease.info.state).toBe('good');
    expect(lease.goodForMs).toBe(1);
    await clock.advance(1);
    expect(lease.info).toEqual({ ...info, state: 'expired' });
    expect(lease).toMatchObject({ claims: claimsAt(), goodClaims: null, goodForMs: null });
  });

  it('names the problem of a stored lease that is not valid, which is logged', async () => {
    const { lease, store, platform } = await startAlone();
    await store.update({ lease: new LeaseSigner().signClaims(sampleClaims({ issuedMs: 0, endMs: 0 })) });
    await lease.restore();
    expect(lease.info).toEqual({ state: 'unusable', problem: 'wrong_signature', keys: 'first-use', ...noInfo });
    expect(platform.logged).toEqual(['the stored lease does not count {"problem":"wrong_signature"}']);
  });

  it('of a stored lease that was not verified yet is an unknown key', async () => {
    const { lease, store, signedAt } = await startAlone();
    await store.update({ lease: signedAt() });
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'unknown_key' });
    expect(lease.claims).toBeNull();
    await lease.restore();
    expect(lease.info.state).toBe('good');
    await store.update({ lease: signedAt(1000) });
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'unknown_key' });
    await store.update({ lease: null });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
  });

  it('names a lease that the server issued for another account as the problem, and requires a lease from then on', async () => {
    const { lease, renewWith, give, signedAt, platform, store, leaseAccount } = await startAlone();
    await renewWith(give(signedAt(0, { sub: 'bob' })));
    expect(lease.info).toEqual({ state: 'none', problem: 'other_account', keys: 'first-use', ...noInfo });
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: true });
    expect(lease.isNeeded).toBe(true);
    expect(leaseAccount.current).toBeNull();
    expect(platform.logged).toEqual(['a lease of the server does not count {"problem":"other_account"}']);
    lease.forget();
    expect(lease.info.problem).toBeNull();
    for (const end of ['restore', 'remove'] as const) {
      await renewWith(give(signedAt(0, { sub: 'bob' })));
      await lease[end]();
      expect(lease.info.problem).toBeNull();
    }
  });

  it('names a stored lease of another account as the problem too, and logs it', async () => {
    const { lease, store, signedAt, platform } = await startAlone();
    await store.update({ lease: signedAt(0, { sub: 'bob' }) });
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'other_account' });
    expect(platform.logged).toEqual(['the stored lease does not count {"problem":"other_account"}']);
  });

  it('belongs to no account while no license is open', async () => {
    const { lease, renewWith, give, signedAt } = await startAlone({ opened: false });
    await renewWith(give(signedAt()));
    expect(lease.info).toMatchObject({ state: 'none', problem: 'other_account' });
    const closed = await startAlone({ opened: false, signedIn: false });
    expect(await closed.importText(closed.signedAt())).toBe('taken');
    expect(closed.leaseAccount.current).toBeNull();
  });
});

describe('a stored lease', () => {
  it('is verified with the keys of the session’s server, else of the account’s, else of the one in the preferences', async () => {
    for (const [given, address] of [
      [{}, 'https://session.org'],
      [{ signedIn: false }, 'https://owner.org'],
      [{ signedIn: false, opened: false }, 'https://preferred.org'],
    ] as const) {
      const { lease, signedAt, keysAskedFor } = await startAlone(given);
      await lease.read(signedAt());
      expect(keysAskedFor).toEqual([address]);
    }
  });

  it('is valid after a restart, with the time at which it was signed as its floor', async () => {
    const { lease, store, signedAt, startMs, claimsAt, platform } = await startAlone();
    await store.update({ lease: signedAt(hourMs) });
    await lease.restore();
    expect(lease).toMatchObject({ claims: claimsAt(hourMs), goodClaims: claimsAt(hourMs), floorMs: startMs + hourMs });
    expect(lease.info).toMatchObject({ state: 'good', problem: null });
    expect(platform.logged).toEqual([]);
  });

  it('with an unknown key is used once the key is known, and is deleted if anything else is wrong with it', async () => {
    const { lease, store, known, claimsAt, signedAt } = await startAlone();
    const next = new LeaseSigner('lease-2');
    const text = next.signClaims(claimsAt(60_000));
    await store.update({ unknownKeyLease: text });
    await lease.restore();
    expect(lease.info).toEqual({ state: 'unusable', problem: 'unknown_key', keys: 'first-use', ...noInfo });
    await store.update({ lease: signedAt() });
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'good', kid: 'lease-1', problem: 'unknown_key' });
    expect(store.facts.unknownKeyLease).toBe(text);
    known.push(next);
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'good', kid: 'lease-2', problem: null });
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null, needsLease: true });
    await store.update({ unknownKeyLease: next.signClaims(claimsAt(0, { device_id: 'HW-2' })) });
    await lease.restore();
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null });
    expect(lease.info).toMatchObject({ state: 'good', problem: null });
  });
});

describe('whether a server has leases', () => {
  const given = async () => {
    const alone = await startAlone();
    return { ...alone, success: alone.give(alone.signedAt()) };
  };

  it('is unknown before the server was asked, and again after a change of server', async () => {
    const { lease, renewWith, success } = await given();
    expect(lease).toMatchObject({ capability: 'unknown', isOffered: true });
    await renewWith(success);
    lease.forgetServer();
    expect(lease.capability).toBe('unknown');
  });

  it('is learned from each conclusive answer, and not changed by an inconclusive one', async () => {
    const { lease, renewWith, success } = await given();
    for (const [answer, capability] of [
      [inconclusive, 'unknown'],
      [success, 'available'],
      [inconclusive, 'available'],
      [unsupported, 'missing'],
      [inconclusive, 'missing'],
      [refusal, 'available'],
    ] as const) {
      await renewWith(answer);
      expect(lease).toMatchObject({ capability, isOffered: capability !== 'missing' });
    }
  });

  it.each([
    [24 * hourMs - 1, false],
    [24 * hourMs, true],
  ])('is asked again a day after it had none: after %i ms %s, or at once when the user asks', async (ms, isOffered) => {
    const { lease, store, renewWith, clock, answers, calls } = await given();
    await store.update(activatedFacts);
    await clock.advance(hourMs);
    await renewWith(unsupported);
    expect(lease).toMatchObject({ isOffered: false, dueInMs: null });
    await clock.advance(ms);
    expect(lease.isOffered).toBe(isOffered);
    answers.push(inconclusive, inconclusive);
    expect(await lease.renewIfDue(false)).toEqual(isOffered ? inconclusive : null);
    expect(await lease.renewIfDue(true)).toEqual(inconclusive);
    expect(calls).toHaveLength(isOffered ? 3 : 2);
  });

  it('is taken from its own announcement, whatever answers in its place', async () => {
    const { lease, renewWith, about } = await given();
    await renewWith(unsupported);
    about.current = { leases: false };
    expect(lease.isOffered).toBe(false);
    about.current = { leases: true };
    expect(lease.isOffered).toBe(true);
    lease.forgetServer();
    expect(await renewWith(unsupported)).toEqual({
      kind: 'inconclusive',
      failure: {
        code: 'SERVER_RESPONSE_INVALID',
        message: 'The server says that it has leases, and had none to give.',
        at: '2026-03-03T09:00:00.000Z',
      },
    });
    expect(lease.capability).toBe('unknown');
    expect(await renewWith(refusal)).toEqual(refusal);
  });
});

describe('the time until the next lease request', () => {
  it('is not set without a lease, unless one is needed and the last request brought none', async () => {
    const optional = await startAlone();
    await optional.renewWith(inconclusive);
    expect(optional.lease.dueInMs).toBeNull();
    const pinned = await startAlone({ pinned: true });
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(refusal);
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(inconclusive);
    expect(pinned.lease.dueInMs).toBe(0);
    await pinned.renewWith(unsupported);
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(inconclusive);
    await pinned.lease.restore();
    expect(pinned.lease.dueInMs).toBeNull();
  });

  it('is not set if the lease that came cannot be used', async () => {
    const { lease, renewWith, give, signedAt } = await startAlone({ pinned: true });
    await renewWith(give(signedAt(0, { sub: 'bob' })));
    expect(lease.dueInMs).toBeNull();
  });

  it('runs until half of the lifetime has passed, and is not set while requests fail after that', async () => {
    const { lease, renewWith, give, signedAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    expect(lease.dueInMs).toBe(hourMs);
    await clock.advance(hourMs - 1);
    expect(lease.dueInMs).toBe(1);
    await renewWith(inconclusive);
    expect(lease.dueInMs).toBe(1);
    await clock.advance(1);
    expect(lease.dueInMs).toBeNull();
    await clock.advance(hourMs - 1);
    expect(lease.dueInMs).toBeNull();
    await clock.advance(1);
    expect(lease.dueInMs).toBe(0);
  });

  it('is zero past half of the lifetime if no lease was requested', async () => {
    const { lease, renewWith, give, signedAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    await clock.advance(hourMs + 5);
    expect(lease.dueInMs).toBe(0);
  });
});

describe('requesting a lease', () => {
  it('names this device, and notifies of the change', async () => {
    const { calls, renewWith, give, signedAt, notified } = await startAlone();
    await renewWith(give(signedAt()));
    expect(calls).toEqual([['lease', { body: { device_id: 'HW-1' } }]]);
    expect(notified()).toBe(1);
  });

  it('is not due on a device that is not activated, nor once a new lease was issued', async () => {
    const { lease, store, answers, give, signedAt, calls } = await startAlone();
    expect(await lease.renewIfDue(true)).toBeNull();
    await store.update(activatedFacts);
    answers.push(give(signedAt()));
    expect(await lease.renewIfDue(false)).toMatchObject({ kind: 'success' });
    expect(await lease.renewIfDue(true)).toBeNull();
    expect(calls).toHaveLength(1);
  });

  it.each([
    [hourMs - 1, 1],
    [hourMs, 2],
  ])('is due again an hour after a refusal, or when the user asks: %i ms later', async (ms, count) => {
    const { lease, store, answers, calls, clock } = await startAlone();
    await store.update(activatedFacts);
    answers.push(refusal, refusal, refusal);
    await clock.advance(2 * hourMs);
    await lease.renewIfDue(false);
    await clock.advance(ms);
    await lease.renewIfDue(false);
    expect(calls).toHaveLength(count);
    await lease.renewIfDue(true);
    expect(calls).toHaveLength(count + 1);
  });

  it('is due at once if the status contradicts a new lease, but not again for the same contradiction unless it agreed in between', async () => {
    const { lease, store, answers, give, signedAt, calls, clock } = await startAlone();
    const statusOf = (plan: string): LicenseFacts['status'] => {
      const license = { key_preview: 'SVC-AB12...GH7X', plan, status: 'active', activations: 1, max_activations: 3 };
      return { response: { license, subscription: { plan }, features: { csv_export: true } } as never, at: no.at };
    };
    const asks = async () => {
      const before = calls.length;
      answers.splice(0, 1, give(signedAt(calls.length * 1000)));
      await lease.renewIfDue(false);
      return calls.length > before;
    };
    await store.update({ ...activatedFacts, status: statusOf('advanced') });
    expect([await asks(), await asks(), await asks(), await asks()]).toEqual([true, true, false, false]);
    await store.update({ status: statusOf('standard') });
    expect(await asks()).toBe(false);
    await store.update({ status: statusOf('advanced') });
    expect([await asks(), await asks()]).toEqual([true, false]);
    await clock.advance(hourMs / 2);
    expect(await asks()).toBe(false);
  });

  it('stores the lease with the time, and remembers its account', async () => {
    const { lease, renewWith, give, signedAt, store, trustedTime, leaseAccount, startMs, noted } = await startAlone();
    await store.update({ unknownKeyLease: 'before' });
    const text = signedAt(hourMs);
    expect(await renewWith(give(text))).toMatchObject({ kind: 'success' });
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null, needsLease: true });
    expect(store.facts.time).toEqual(trustedTime.reading());
    expect(trustedTime.signedMs).toBe(startMs + hourMs);
    expect(leaseAccount.current).toMatchObject({ serverAddress: 'https://owner.org', accountId: 'ada' });
    expect(noted()).toEqual([]);
    expect(lease.info.state).toBe('good');
  });

  it('ends the lease in use when it is refused, and records that if there was one', async () => {
    const { lease, renewWith, give, signedAt, store, trustedTime, noted, platform, clock } = await startAlone();
    await renewWith(refusal);
    expect(noted()).toEqual([]);
    expect(store.facts).toMatchObject({ lease: null, needsLease: true, endedAt: '2026-03-03T09:00:00.000Z' });
    await renewWith(give(signedAt()));
    await store.update({ unknownKeyLease: 'another' });
    await clock.advance(1000);
    await renewWith(refusal);
    expect(noted()).toEqual([['lease-ended', null]]);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, endedAt: '2026-03-03T09:00:01.000Z' });
    expect(store.facts.time).toEqual(trustedTime.reading());
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(platform.logged).toEqual(Array(2).fill('the server has refused a lease {}'));
    expect(endLease(0)).toEqual({ lease: null, unknownKeyLease: null, endedAt: '1970-01-01T00:00:00.000Z' });
  });

  it('leaves the lease in use with any other answer', async () => {
    const { lease, renewWith, give, signedAt } = await startAlone();
    await renewWith(give(signedAt()));
    const otherError: ApiResult<unknown> = { kind: 'error', failure: { code: 'DEVICE_NOT_FOUND', ...no } };
    const sameCode: ApiResult<unknown> = { kind: 'inconclusive', failure: { code: 'LICENSE_INACTIVE', ...no } };
    for (const answer of [otherError, sameCode, inconclusive, unsupported]) {
      expect(await renewWith(answer)).toEqual(answer);
      expect(lease.info.state).toBe('good');
    }
  });

  it('ignores the answer if the lease was ended meanwhile or another account is open', async () => {
    for (const isOther of [false, true]) {
      const { lease, answers, give, signedAt, store, owner, notified } = await startAlone();
      answers.push(async () => {
        if (isOther) await store.open({ ...owner }, null);
        else await store.update(endLease(0));
        return give(signedAt());
      });
      expect(await lease.renew()).toMatchObject({ kind: 'success' });
      expect(lease).toMatchObject({ claims: null, capability: 'unknown' });
      expect(store.facts.lease).toBeNull();
      expect(notified()).toBe(0);
    }
  });

  it.each([
    ['something else has ended it', false],
    ['another account was opened', true],
  ])('ignores the answer too if %s while its key was fetched', async (_, isOther) => {
    const { lease, renewWith, give, claimsAt, refreshed, store, owner, notified } = await startAlone();
    refreshed.adds = new LeaseSigner('lease-2');
    refreshed.meanwhile = () =>
      isOther ? store.open({ ...owner, accountId: 'bob' }, null) : store.update(endLease(0));
    expect(await renewWith(give(refreshed.adds.signClaims(claimsAt())))).toMatchObject({ kind: 'success' });
    expect(refreshed.times).toBe(1);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: false });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(notified()).toBe(0);
  });

  it.each([
    ['after', [1, 0]],
    ['before', [0, 1]],
  ])(
    'is not affected by the refusal of an earlier request that arrives %s the lease of a later one',
    async (_, order) => {
      const { lease, answers, give, signedAt } = await startAlone();
      const arrivals = [refusal, give(signedAt())].map((answer) => {
        let arrive = () => {};
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        answers.push(() => arrived.then(() => answer));
        return { arrive, asking: lease.renew() };
      });
      for (const index of order) {
        arrivals[index]?.arrive();
        await arrivals[index]?.asking;
      }
      expect(lease.info.state).toBe('good');
    },
  );

  it('takes a lease that arrives after a later request brought no answer', async () => {
    const { lease, answers, give, signedAt, store } = await startAlone();
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const text = signedAt();
    answers.push(() => arrived.then(() => give(text)), inconclusive);
    const asking = lease.renew();
    await lease.renew();
    arrive();
    await asking;
    expect(store.facts.lease).toBe(text);
  });

  it('does not make later dates of the server doubtful if it came with a date of its own time', async () => {
    const { renewWith, give, signedAt, trustedTime, startMs } = await startAlone();
    await renewWith({ ...give(signedAt()), serverTimeMs: startMs } as ApiResult<unknown>);
    trustedTime.confirm(startMs + hourMs);
    expect(trustedTime.nowMs()).toBe(startMs + hourMs);
  });

  it('does not replace the lease of a later request with an older one', async () => {
    const { lease, answers, give, signedAt, store } = await startAlone();
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const later = signedAt(1000);
    answers.push(() => arrived.then(() => give(signedAt())), give(later));
    const asking = lease.renew();
    await lease.renew();
    arrive();
    await asking;
    expect(store.facts.lease).toBe(later);
  });

  it.each([
    [false, 1],
    [true, 0],
  ])('fetches a new key, unless keys are pinned (%s)', async (pinned, times) => {
    const { lease, renewWith, give, claimsAt, refreshed, store } = await startAlone({ pinned });
    const next = new LeaseSigner('lease-2');
    refreshed.adds = next;
    const text = next.signClaims(claimsAt());
    await renewWith(give(text));
    expect(refreshed.times).toBe(times);
    expect(lease.info.state).toBe(pinned ? 'unusable' : 'good');
    expect(store.facts.unknownKeyLease).toBe(pinned ? text : null);
  });

  it('keeps a lease with a key that stays unknown, and fetches no key for a lease with a wrong signature', async () => {
    const { lease, renewWith, give, claimsAt, refreshed, store } = await startAlone();
    const text = new LeaseSigner('lease-2').signClaims(claimsAt());
    await renewWith(give(text));
    expect(refreshed.times).toBe(1);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: text, needsLease: true });
    await renewWith(give(new LeaseSigner('lease-1').signClaims(claimsAt())));
    expect(refreshed.times).toBe(1);
    expect(store.facts.unknownKeyLease).toBe(text);
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'wrong_signature' });
  });
});

describe('reading a lease', () => {
  it.each<[string, (text: string) => string]>([
    ['of two parts', (text) => text.split('.').slice(1).join('.')],
    ['of four parts', (text) => `${text}.more`],
    ['with something before it', (text) => `!${text}`],
    ['with something after it', (text) => `${text}!`],
    ['with an empty part', (text) => text.replace(/\..*\./, '..')],
    ['with a part of other characters', (text) => text.replace('.', '.+')],
    ['that is one character too long', (text) => text.padEnd(16 * 1024 + 1)],
  ])('refuses a text %s', async (_, change) => {
    const { lease, signedAt, refreshed, keysAskedFor } = await startAlone();
    expect(await lease.read(change(signedAt()))).toEqual({
      ok: false,
      failure: { code: 'LEASE_REFUSED', message: 'This is no lease.', at: no.at, problem: 'malformed' },
    });
    expect(refreshed.times).toBe(0);
    expect(keysAskedFor).toEqual([]);
  });

  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['as long as a text may be', (text) => text.padEnd(16 * 1024)],
    ['in lines', (text) => `\uFEFF  ${text.slice(0, 9)}\r\n\t${text.slice(9)}\n\n`],
  ])('accepts a text %s', async (_, change) => {
    const { lease, signedAt, claimsAt, store } = await startAlone();
    const text = signedAt();
    const value = { lease: text, kid: 'lease-1', claims: claimsAt() };
    expect(await lease.read(change(text))).toEqual({ ok: true, value });
    expect(store.facts.lease).toBeNull();
  });

  it.each<[string, string, Partial<LeaseClaims>, string | null]>([
    ['other_device', 'The lease is for another device.', { device_id: 'HW-2' }, null],
    ['other_account', 'The lease is for another account.', { sub: 'bob' }, null],
    ['wrong_signature', 'The signature of the lease is wrong.', {}, 'lease-1'],
    ['unknown_key', 'The lease is signed with a key that this app does not know.', {}, 'lease-9'],
  ])('refuses a lease with the problem %s: %s', async (problem, message, claims, kid) => {
    const { lease, claimsAt, signer, refreshed } = await startAlone();
    const text = (kid === null ? signer : new LeaseSigner(kid)).signClaims(claimsAt(0, claims));
    const failure = { code: 'LEASE_REFUSED', message, at: no.at, problem };
    expect(await lease.read(text)).toEqual({ ok: false, failure });
    expect(refreshed.times).toBe(problem === 'unknown_key' ? 1 : 0);
  });

  it('fetches a new key with the session, and without one accepts a lease of any account', async () => {
    const signedIn = await startAlone();
    const next = new LeaseSigner('lease-2');
    signedIn.refreshed.adds = next;
    expect(await signedIn.lease.read(next.signClaims(signedIn.claimsAt()))).toMatchObject({
      value: { kid: 'lease-2' },
    });
    const signedOut = await startAlone({ signedIn: false });
    signedOut.refreshed.adds = next;
    const unknown = await signedOut.lease.read(next.signClaims(signedOut.claimsAt()));
    expect(unknown).toMatchObject({ failure: { problem: 'unknown_key' } });
    expect(signedOut.refreshed.times).toBe(0);
    expect(await signedOut.lease.read(signedOut.signedAt(0, { sub: 'bob' }))).toMatchObject({ ok: true });
  });
});

describe('importing a lease that was read', () => {
  it('records it, notifies of it and stores it', async () => {
    const { lease, store, read, signedAt, noted, notified, platform } = await startAlone();
    const text = signedAt();
    const taken = await read(text);
    expect(await lease.import(taken)).toEqual({ ok: true, value: taken });
    expect(noted()).toEqual([['lease-imported', 'SVC-AB12...GH7X']]);
    expect(store.facts.activity).toMatchObject([{ kind: 'lease-imported' }]);
    expect(store.facts.lease).toBe(text);
    expect([...platform.secrets.values.values()].join()).toContain(text);
    expect(notified()).toBe(1);
    expect(lease.info.state).toBe('good');
  });

  it.each([
    [-1000, 'older'],
    [0, 'taken'],
    [1000, 'taken'],
  ])('that was signed %i ms from the one in use: %s', async (byMs, expected) => {
    const { importText, signedAt, lease } = await startAlone();
    await importText(signedAt());
    expect(await importText(signedAt(byMs))).toBe(expected);
    const result = await lease.import({ lease: '', kid: '', claims: sampleClaims({ issuedMs: 0, endMs: 0 }) });
    const message = 'A later answer of the server is in use already.';
    expect(result).toEqual({ ok: false, failure: { code: 'LEASE_REFUSED', message, at: no.at, problem: 'older' } });
  });

  it.each([
    [999, 'taken'],
    [1000, 'taken'],
    [1001, 'older'],
  ])('that was signed in the second before the last one ended, %i ms after it began: %s', async (ms, expected) => {
    const { importText, signedAt, store, startMs } = await startAlone();
    await store.update({ endedAt: new Date(startMs + ms).toISOString() });
    expect(await importText(signedAt())).toBe(expected);
  });

  it.each([
    [2 * hourMs - 1, 'taken'],
    [2 * hourMs, 'expired'],
  ])('that was signed %i ms ago by the server’s time: %s', async (ms, expected) => {
    const { lease, read, importText, signedAt, trustedTime, clock } = await startAlone();
    trustedTime.confirm(clock.now());
    await clock.advance(ms);
    expect(await importText(signedAt())).toBe(expected);
    const result = await lease.import(await read(signedAt(-dayMs)));
    if (expected === 'expired') expect(result).toMatchObject({ failure: { message: 'The lease has expired.' } });
  });

  it('overrides the clock of the machine, but not a time that the server has signed', async () => {
    const { importText, signedAt, trustedTime, clock, startMs } = await startAlone();
    clock.setWall(startMs + 90 * dayMs);
    trustedTime.forgetServer({ keepsSigned: false });
    expect(await importText(signedAt())).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs);
    const signed = await startAlone();
    signed.trustedTime.notBefore(startMs);
    await signed.clock.advance(2 * hourMs);
    expect(await signed.importText(signed.signedAt())).toBe('expired');
  });

  it('overrides a Date that was far ahead, but only until its own end by the measured time', async () => {
    const { importText, signedAt, trustedTime, clock, startMs } = await startAlone();
    trustedTime.confirm(startMs + 90 * dayMs);
    expect(await importText(signedAt())).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs);
    await clock.advance(2 * hourMs);
    trustedTime.confirm(startMs + 90 * dayMs);
    expect(await importText(signedAt())).toBe('expired');
  });

  it('from far ahead gives way to a correct lease, and cannot be imported again', async () => {
    const { lease, importText, signedAt, clock, startMs, trustedTime } = await startAlone();
    const ahead = signedAt(90 * dayMs);
    await importText(signedAt());
    expect(await importText(ahead)).toBe('taken');
    expect(lease.floorMs).toBe(startMs + 90 * dayMs);
    expect(await importText(signedAt(90 * dayMs - 1000))).toBe('older');
    await clock.advance(2 * hourMs);
    expect(await importText(ahead)).toBe('expired');
    expect(await importText(signedAt(2 * hourMs))).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs + 2 * hourMs);
    expect(await importText(ahead)).toBe('expired');
  });
});

describe('removing a lease', () => {
  it('deletes it from memory and disk, with its account', async () => {
    const { lease, store, renewWith, give, signedAt, leaseAccount } = await startAlone();
    await renewWith(give(signedAt()));
    await store.update({ unknownKeyLease: 'another' });
    await lease.remove();
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: true });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(leaseAccount.current).toBeNull();
  });

  it('keeps the remembered account of another lease that was imported while nobody was signed in', async () => {
    const { lease, leaseAccount, owner, store } = await startAlone();
    await leaseAccount.remember({ ...owner, accountId: 'bob' });
    await lease.remove();
    expect(leaseAccount.current).toMatchObject({ accountId: 'bob' });
    store.close();
    await lease.remove();
    expect(leaseAccount.current).toBeNull();
  });

  it.each(['lease', 'unknownKeyLease'] as const)('writes only if there is one: %s', async (name) => {
    const { lease, store, platform } = await startAlone();
    await lease.remove();
    expect(platform.secrets.writes).toEqual([]);
    await store.update({ [name]: 'text' });
    await lease.remove();
    expect(platform.secrets.writes).toHaveLength(2);
    expect(store.facts[name]).toBeNull();
  });
});
