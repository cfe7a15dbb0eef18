/** Refused sign-ins are recorded in the audit log, but a flood of them can neither fill it nor slow the server. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEvent } from '../../../server/audit/audit-event.ts';
import type { AuditEntry } from '../../../server/audit/audit-log.service.ts';
import { RefusalBuffer } from '../../../server/audit/refusal-buffer.ts';
import { DatabaseUnavailable } from '../../../server/database/database-errors.ts';
import { createFakeClock, minute, second } from '../../harness/fake-clock.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const refusalsOf = async (server: TestApp) => {
  const entries = (await server.admin('audit', 'list')) as unknown as AuditEntry[];
  return entries.filter(({ action }) => action === 'account.sign_in_refused');
};
const login = (server: TestApp, email: string, from: string, password = 'a wrong passphrase') =>
  server.call('login', { body: { email, password }, from });

describe('a refused sign-in', () => {
  it('is recorded within a second, with its address; identical refusals become one entry', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startTestApp();
    const { email } = await signUp(server);
    for (let times = 0; times < 3; times++) await login(server, email, '192.0.2.1');
    await login(server, email, '192.0.2.2');
    await vi.advanceTimersByTimeAsync(second);
    await expect.poll(() => refusalsOf(server)).toHaveLength(2);
    const details = { reason: 'wrong password' };
    expect(
      (await refusalsOf(server)).toSorted((a, b) => (a.address ?? '').localeCompare(b.address ?? '')),
    ).toMatchObject([
      { actor: 'anonymous', target: `account ${email}`, address: '192.0.2.1', details: { ...details, count: 3 } },
      { actor: 'anonymous', target: `account ${email}`, address: '192.0.2.2', details },
    ]);
  });

  it('records when the reason is too many attempts', async () => {
    const server = await startTestApp();
    const { email } = await signUp(server);
    for (let number = 1; number <= 21; number++) await login(server, email, `198.51.100.${number}`);
    await expect.poll(() => refusalsOf(server)).toHaveLength(21);
    const reasons = Map.groupBy(await refusalsOf(server), ({ details }) => details.reason);
    expect([reasons.get('wrong password')?.length, reasons.get('too many tries')?.length]).toEqual([20, 1]);
  });

  it('for an unknown account records nothing of what was typed', async () => {
    const server = await startTestApp();
    const typed = newEmail();
    await login(server, typed, '192.0.2.1', goodPassword);
    await expect.poll(() => refusalsOf(server)).toHaveLength(1);
    const entries = await refusalsOf(server);
    expect(entries).toMatchObject([{ target: 'account', details: { reason: 'unknown account' } }]);
    expect(JSON.stringify(entries)).not.toContain(typed);
  });

  it('records when the reason is too many attempts for an unknown account', async () => {
    const server = await startTestApp({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
    const typed = newEmail();
    for (let number = 1; number <= 21; number++) await login(server, typed, `198.51.100.${number}`);
    await expect.poll(() => refusalsOf(server)).toHaveLength(21);
    const reasons = Map.groupBy(await refusalsOf(server), ({ details }) => details.reason);
    expect([reasons.get('unknown account')?.length, reasons.get('too many tries')?.length]).toEqual([20, 1]);
  });

  it('is not what a sign-in is called that fails because the database cannot be used', async () => {
    const server = await startTestApp();
    const { email } = await signUp(server);
    vi.spyOn(server.database, 'write').mockRejectedValueOnce(new DatabaseUnavailable(new Error('no space')));
    expect((await login(server, email, '192.0.2.1', goodPassword)).status).toBe(503);
    await server.app.close();
    expect(await refusalsOf(server)).toEqual([]);
  });

  it('is recorded before the server stops', async () => {
    const server = await startTestApp();
    const { email } = await signUp(server);
    await login(server, email, '192.0.2.1');
    await server.app.close();
    expect(await refusalsOf(server)).toHaveLength(1);
  });
});

it('what the role of a member of staff does not allow is recorded even while strangers flood the sign-in', async () => {
  const server = await startTestApp();
  const viewer = await newStaff(server, 'viewer');
  const strangers = Array.from({ length: 310 }, (_, number) => `2001:db8:${number.toString(16)}::1`);
  await Promise.all(strangers.map((from) => login(server, newEmail(), from)));
  expect((await viewer.browser.call('clearInstallers')).status).toBe(403);
  const readRefused = async () => {
    const query = { action: 'staff.refused', actor: viewer.email } as const;
    return (await server.services.auditList.readPage(query, { limit: 10 })).rows;
  };
  await expect.poll(readRefused).toMatchObject([{ details: { endpoint: 'clearInstallers', role: 'viewer' } }]);
});

describe('a flood of refusals', () => {
  const refusal = (number: number): AuditEvent => ({
    actor: { kind: 'anonymous' },
    address: `2001:db8::${number.toString(16)}`,
    action: 'account.sign_in_refused',
    target: { kind: 'account', id: '', label: '' },
  });

  it('leads to 300 entries at first and then one per second; the others are counted once a minute', () => {
    const clock = createFakeClock();
    const buffer = new RefusalBuffer(clock);
    let number = 0;
    const flood = (count: number) => {
      for (let each = 0; each < count; each++) buffer.add(refusal(number++));
      const { refusals, others } = buffer.take(false);
      return [refusals.length, others.get('account.sign_in_refused') ?? 0];
    };
    expect(flood(10_000)).toEqual([300, 9700]);
    clock.advance(second);
    expect(flood(10_000)).toEqual([1, 0]);
    clock.advance(minute);
    expect(flood(10_000)).toEqual([60, 9999 + 9940]);
    clock.advance(second);
    expect(flood(1)).toEqual([1, 0]);
    expect(buffer.isEmpty).toBe(true);
  });

  it('of strangers hides neither the refusals of a signed-in user nor those of staff', () => {
    const buffer = new RefusalBuffer(createFakeClock());
    for (let number = 0; number < 10_000; number++) buffer.add(refusal(number));
    const byUser: AuditEvent = { ...refusal(1), actor: { kind: 'user', id: 'ada' } };
    const byStaff: AuditEvent = { ...refusal(1), actor: { kind: 'staff', id: 'eve' }, action: 'staff.refused' };
    const atAdminPage: AuditEvent = { ...refusal(1), action: 'staff.sign_in_refused' };
    for (const event of [byUser, byStaff, atAdminPage]) buffer.add(event);
    expect(buffer.take(false).refusals.map(({ event }) => event)).toEqual(
      expect.arrayContaining([byUser, byStaff, atAdminPage]),
    );
  });

  it('of signed-in users hides neither the refusals of another user nor those of staff from each other', () => {
    const buffer = new RefusalBuffer(createFakeClock());
    const by = (kind: 'user' | 'staff', id: string, number = 1): AuditEvent => ({
      ...refusal(number),
      actor: { kind, id },
    });
    for (let number = 0; number < 10_000; number++) {
      buffer.add(by('user', `mallory ${number % 130}`, number));
      buffer.add(by('staff', 'eve', number));
    }
    const others = [by('user', 'ada'), by('staff', 'grace')];
    for (const event of others) buffer.add(event);
    const { refusals } = buffer.take(false);
    expect(refusals.map(({ event }) => event)).toEqual(expect.arrayContaining(others));
    const countOf = (kind: string) => refusals.filter(({ event: { actor } }) => actor.kind === kind).length;
    expect([countOf('staff'), countOf('user')]).toEqual([300 + 20 + 1, 300 + 130 * 20 + 1]);
  });

  it('of identical refusals becomes one entry', () => {
    const buffer = new RefusalBuffer(createFakeClock());
    for (let each = 0; each < 1000; each++) buffer.add(refusal(1));
    expect(buffer.take(false).refusals).toMatchObject([{ count: 1000 }]);
  });

  it('is counted at the end', () => {
    const buffer = new RefusalBuffer(createFakeClock());
    buffer.addOthers('account.sign_in_refused', 1);
    buffer.take(false);
    buffer.addOthers('account.sign_in_refused', 2);
    expect(buffer.take(false).others.size).toBe(0);
    expect(buffer.take(true).others.get('account.sign_in_refused')).toBe(2);
  });
});
