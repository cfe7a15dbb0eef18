/** A dry run over many accounts reads them in batches, so that it never holds all of them in memory. */
import { expect, it } from 'vitest';
import { insertRows } from '../../../server/database/queries.ts';
import { Admin } from '../../harness/admin.ts';
import { day } from '../../harness/fake-clock.ts';
import { expectDocument } from '../../harness/test-admin.ts';
import { numberedDeviceId } from '../../harness/users.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

describeEachDatabase((kind) => {
  it('a dry run over 100,000 accounts does not hold them all in memory', { timeout: 600_000 }, async () => {
    const { folder, settings } = await kind.createAdmin();
    const accounts = 100_000;
    const nowMs = Date.now();
    await withServices(new Admin(folder, settings), async (_services, { database }) => {
      for (let first = 0; first < accounts; first += 10_000) {
        const ids = Array.from({ length: 10_000 }, (_, index) => String(first + index).padStart(6, '0'));
        await database.write(async (transaction) => {
          await insertRows(
            transaction,
            'users',
            ids.map((id) => userRow(id, nowMs)),
          );
          await insertRows(
            transaction,
            'licenses',
            ids.map((id) => licenseRow(id, nowMs)),
          );
          await insertRows(
            transaction,
            'activations',
            ids.map((id) => activationRow(id, nowMs)),
          );
        });
      }
    });
    const small = new Admin(folder, { ...settings, NODE_OPTIONS: '--max-old-space-size=80' });
    const words = [
      'plan',
      'set',
      'standard',
      '--max-devices',
      '0',
      '--feature',
      'csv_export=false',
      '--dry-run',
      '--json',
    ];
    expect(expectDocument(await small.run(words))).toStrictEqual({
      would_change: { accounts, licenses: accounts, devices: accounts },
      lose: { csv_export: accounts },
      gain: {},
      over_limit: accounts,
    });
  });
});

function userRow(id: string, nowMs: number) {
  return {
    id,
    email: `${id}@example.com`,
    email_key: `${id}@example.com`,
    full_name: '',
    password_hash: '',
    created_at_ms: nowMs,
    password_changed_at_ms: nowMs,
    email_confirmed_at_ms: null,
    password_set_by: null,
  };
}

function licenseRow(id: string, nowMs: number) {
  return {
    id,
    key_hash: id,
    key_preview: 'SVC-AB12...WXYZ',
    user_id: id,
    plan: 'standard',
    status: 'active' as const,
    max_activations: 3,
    expires_at_ms: nowMs + 100 * day,
    updates_until_ms: null,
    with_subscription: 0 as const,
    noticed_lead_ms: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

function activationRow(id: string, nowMs: number) {
  return {
    id,
    license_id: id,
    device_id: numberedDeviceId(Number(id)),
    device_name: '',
    platform: '',
    activated_at_ms: nowMs,
    last_seen_at_ms: nowMs,
    released_at_ms: null,
    lease_expires_at_ms: null,
    several_installations_at_ms: null,
  };
}
