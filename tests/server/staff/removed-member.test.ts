/** A member who is removed while somebody else changes them: the change only applies to members. */
import { describe, expect, it, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

/** Removes the member as another admin, after the service has found the member and before it writes. */
async function removedMeanwhile(change: (userId: string) => Promise<unknown>) {
  const { staffAdmin, auditList } = server.services;
  await newStaff(server, 'owner');
  const { email } = await newStaff(server, 'viewer');
  const { id } = await staffAdmin.find(email);
  vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
    await staffAdmin.remove(id, byCommand);
    return server.database.write(work);
  });
  const error = await change(id).catch((thrown: unknown) => thrown);
  vi.restoreAllMocks();
  const { rows } = await auditList.readPage({ target: id, action: 'staff.remove' }, { limit: 10 });
  const isMember = (await staffAdmin.list()).some((member) => member.id === id);
  return { error, isMember, removals: rows.length };
}

describe('a member who has just been removed', () => {
  it('is not restored by a change of role', async () => {
    const { error, isMember, removals } = await removedMeanwhile((id) =>
      server.services.staffAdmin.setRole(id, 'owner', byCommand),
    );
    expect(error).toMatchObject({ code: 'NOT_FOUND' });
    expect(isMember).toBe(false);
    expect(removals).toBe(1);
  });

  it('is recorded as removed only once in the audit log', async () => {
    const { error, removals } = await removedMeanwhile((id) => server.services.staffAdmin.remove(id, byCommand));
    expect(error).toMatchObject({ code: 'NOT_FOUND' });
    expect(removals).toBe(1);
  });
});
