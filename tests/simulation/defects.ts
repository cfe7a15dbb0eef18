/**
 * Defects that are planted in the source, one at a time, to see each invariant fail. Each is a mistake that somebody
 * could make.
 */
import type { SpawnSyncOptionsWithStringEncoding } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../harness/environment.ts';

export type Defect = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

export const defects: readonly Defect[] = [
  {
    name: 'the places are read outside of the transaction that takes one',
    file: 'server/licenses/license.service.ts',
    from: 'const account = await accountSnapshots.readAccount(transaction, userId);',
    to: 'const account = await accountSnapshots.findAccount(userId);',
  },
  {
    name: 'a new password ends no other session',
    file: 'server/accounts/password.service.ts',
    from: 'await endSessions(transaction, userId, keptSessionId);',
    to: '',
  },
  {
    name: 'one device more than the limit is activated',
    file: 'server/activations/activation.rules.ts',
    from: 'const excess = placesInUse - maxActivations;',
    to: 'const excess = otherDevices - maxActivations;',
  },
  {
    name: 'a released device gives its place away while its lease goes on',
    file: 'server/activations/activation.rules.ts',
    from: 'return leaseEndMs !== null && leaseEndMs > nowMs;',
    to: 'return false;',
  },
  {
    name: 'the end of a lease is not recorded with its activation',
    file: 'server/leases/lease.service.ts',
    from: 'await activations.recordLease(transaction, grant.activation.id, exp * 1000);',
    to: '',
  },
  {
    name: 'a lease is signed for a license that is not good',
    file: 'server/leases/lease-grant.rules.ts',
    from: 'if (evaluateLicenseOf(account, license, nowMs).problem !== undefined) return undefined;',
    to: '',
  },
  {
    name: 'the reuse of a refresh token is not detected',
    file: 'server/auth/refresh-token.rules.ts',
    from: "    case 'used':\n      return { action: 'revoke_session' };",
    to: "    case 'used':\n      return { action: 'rotate' };",
  },
  {
    name: 'a refresh that is repeated after a lost answer counts as reuse',
    file: 'server/auth/refresh-token.rules.ts',
    from: 'if (request.idempotencyKeyHash !== token.idempotencyKeyHash)',
    to: 'if (request.idempotencyKeyHash !== null)',
  },
  {
    name: 'the client takes another idempotency key for each try of a refresh',
    file: 'electron/licensing/session.ts',
    from: 'const key = previous.pendingRefreshKey ?? this.#deps.random.uuid();',
    to: 'const key = this.#deps.random.uuid();',
  },
  {
    name: 'the idempotency key of a refresh is sent before it is stored',
    file: 'electron/licensing/session.ts',
    from: 'const stored = await (previous.pendingRefreshKey !== null || this.#write(attempt));',
    to: 'const stored = await true; void this.#write(attempt);',
  },
  {
    name: 'the client signs out when a refresh fails, whatever the reason',
    file: 'electron/licensing/session.ts',
    from: "const ended = result.kind === 'error' ? endReason(result.failure.code) : null;",
    to: "const ended = result.kind === 'error' ? endReason(result.failure.code) : 'session-expired';",
  },
  {
    name: 'what a write has changed stays cached',
    file: 'server/account-snapshots/snapshot-cache.ts',
    from: 'deps.database.cacheInvalidation.onChange((change) => this.#drop(change));',
    to: 'deps.database.cacheInvalidation.onChange(() => undefined);',
  },
  {
    name: 'an older event of the billing provider overwrites a newer one',
    file: 'server/billing/billing.rules.ts',
    from: 'return eventAtMs < (lastAtMs ?? Number.NEGATIVE_INFINITY);',
    to: 'return false;',
  },
  {
    name: 'an event is dropped when its receiver does not answer',
    file: 'server/webhooks/delivery.rules.ts',
    from: "return result.status >= 200 && result.status < 300 ? 'delivered' : 'failed';",
    to: "return 'delivered';",
  },
  {
    name: 'an activation queues no event',
    file: 'server/activations/activation.service.ts',
    from: "type: 'license.activated'",
    to: "type: 'license.released'",
  },
  {
    name: 'the event of an activation is queued once the activation is committed',
    file: 'server/activations/activation.service.ts',
    from: `    await this.#deps.outbox.add(transaction, {
      type: 'license.activated',
      userId: request.userId,
      data: { ...describe(license), plan: license.plan, activation_id: id, device_id, device_name, platform },
    });`,
    to: `    const data = { ...describe(license), plan: license.plan, activation_id: id, device_id, device_name, platform };
    const event = { type: 'license.activated', userId: request.userId, data } as const;
    setImmediate(() => void this.#deps.database.write((later) => this.#deps.outbox.add(later, event)));`,
  },
  {
    name: 'a mail stays in the queue after it was sent',
    file: 'server/mail/mail-delivery.ts',
    from: '    await mailQueue.remove(id);\n  }\n',
    to: '  }\n',
  },
  {
    name: 'the client goes on with a lease that has expired',
    file: 'electron/licensing/entitlement.ts',
    from: 'if (claims !== null && isLeaseGood(claims, Math.max(input.nowMs, floorMs)))',
    to: 'if (claims !== null)',
  },
  {
    name: 'the client does not record that its license is no longer valid',
    file: 'electron/licensing/device-license.ts',
    from: "if (result.kind === 'success' && isCurrent && this.#deps.store.facts.licenseKey === licenseKey) {",
    to: "if (result.kind === 'success' && result.response.valid && isCurrent && this.#deps.store.facts.licenseKey === licenseKey) {",
  },
  {
    name: 'the client renews its lease at half of its life only, whatever has changed',
    file: 'electron/licensing/lease-renewal.ts',
    from: "const contradicted = contradictions(facts, claims);\n  if (contradicted === '') return false;",
    to: "const contradicted = '';\n  if (contradicted === '') return false;",
  },
  {
    name: 'the window shows a feature as on that the client refuses',
    file: 'electron/licensing/feature-gate.ts',
    from: 'if (state?.on) return succeed(true);',
    to: "if (state?.on) return this.#deps.session.user ? succeed(true) : fail(failureNow(this.#deps.clock, 'FEATURE_OFF', name));",
  },
  {
    name: 'a new password is acknowledged and not stored',
    file: 'server/accounts/password.service.ts',
    from: 'await repository.updateUser(transaction, userId, { ...change, password_changed_at_ms });',
    to: 'await repository.updateUser(transaction, userId, { password_changed_at_ms });',
  },
  {
    name: 'the client logs its session',
    file: 'electron/licensing/session.ts',
    from: '        await secrets.write(documentName, this.#format(document));',
    to: "        log.info('stored', { document });\n        await secrets.write(documentName, this.#format(document));",
  },
  {
    name: 'the session goes on at another server',
    file: 'electron/licensing/auth.ts',
    from: 'await this.#queue.run(() => this.#leaveServer());',
    to: '',
  },
  {
    name: 'the key of an imported lease is not kept',
    file: 'electron/licensing/auth.ts',
    from: 'if (imported.ok) await leaseRequest.answer(read.value.claims.license);',
    to: '',
  },
  {
    name: 'a seal of the audit log leaves entries out',
    file: 'server/audit/audit-sealing.service.ts',
    from: 'const seal = makeSeal(entries, last',
    to: 'const seal = makeSeal(entries.slice(0, 1), last',
  },
];

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Returns the path of the history that reveals the defect. */
export function historyOf({ name }: Defect): string {
  return here(`planted/${name.replaceAll(/[^a-z]+/gi, '-')}.json`);
}

/** Returns what to spawn: the simulator in a process in which the defect is planted. */
export function runPlanted(
  { name }: Defect,
  words: readonly string[],
): [string, string[], SpawnSyncOptionsWithStringEncoding] {
  const environment = { ...process.env, NODE_COMPILE_CACHE: compileCache, SIMULATION_DEFECT: name };
  const programs = ['--import', here('plant-defect.ts'), here('simulate.ts')];
  return [process.execPath, [...programs, ...words], { env: environment, encoding: 'utf8', timeout: 900_000 }];
}
