/** CSV downloads for staff: one at a time for each member, and stopped when access is withdrawn. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { DatabaseList } from '../../../server/database/database-list.ts';
import { CsvDownloads } from '../../../server/http/csv-downloads.ts';
import { CsvFile } from '../../../server/http/endpoint-handler.ts';
import { StaffAuth } from '../../../server/http/staff-auth.ts';
import { byStaff, type SignedInStaff } from '../../../server/staff/signed-in-staff.ts';
import type { StaffRole } from '../../../shared/api/staff-role.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { formatLicenseKey } from '../../../shared/formats/license-key.ts';
import { auditActions, fromPage, newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

type Member = { readonly id: string; readonly email: string; readonly session: SignedInStaff };

async function newMember(role: StaffRole = 'viewer'): Promise<Member> {
  const { id, email, browser } = await newStaff(server, role);
  const session = await server.services.staffSessions.authenticate(browser.cookie.split('=')[1] ?? '');
  if (!session) throw new Error('no session');
  return { id, email, session };
}

/** Returns a function that starts a download of the member. */
function createDownloads() {
  const { staffSessions, auditLog } = server.services;
  const staffAuth = new StaffAuth({ publicUrl: undefined, staffSessions, auditLog });
  const downloads = new CsvDownloads({ staffAuth, auditLog, database: server.database });
  return (file: CsvFile, staff: SignedInStaff, role: StaffRole = 'viewer') => {
    const request = { method: 'GET', params: {}, query: { search: 'ada' }, by: byStaff(staff, '192.0.2.7') };
    return downloads.start(file, { staff, request, required: { role, confirm: false } });
  };
}

/** A file whose parts are larger than what a stream reads ahead. */
function fileOf(count: number): { readonly file: CsvFile; readonly read: { parts: number; isOver: boolean } } {
  const read = { parts: 0, isOver: false };
  const parts = async function* () {
    try {
      for (; read.parts < count; read.parts++) yield 'x'.repeat(100_000);
    } finally {
      read.isOver = true;
    }
  };
  return { file: new CsvFile('rows', parts()), read };
}

/** Returns the entries about downloads of the member with this email. */
async function entriesOf(member: string): Promise<readonly object[]> {
  return (await auditActions(server, 'staff.download')).filter((entry) => 'actor' in entry && entry.actor === member);
}

it('a member can download one list at a time, while others download theirs', async () => {
  const [one, other] = [await newMember(), await newMember()];
  const download = createDownloads();
  const first = download(fileOf(3).file, one.session);
  const refused = fileOf(1);
  expect(() => download(refused.file, one.session)).toThrow('another list');
  expect(await text(download(fileOf(1).file, other.session))).toHaveLength(100_000);
  expect(await text(first)).toHaveLength(300_000);
  expect(await text(download(fileOf(1).file, one.session))).toHaveLength(100_000);
});

it('a file that is never read ends with its response, and the member may download another', async () => {
  const { session } = await newMember();
  const download = createDownloads();
  const stream = download(fileOf(3).file, session).destroy();
  await once(stream, 'close');
  expect(await text(download(fileOf(1).file, session))).toHaveLength(100_000);
});

it.each([
  ['is removed', ({ id }) => server.services.staffAdmin.remove(id, byCommand), 'INVALID_TOKEN'],
  ['has a lower role', ({ email }) => server.services.staffAdmin.add(email, 'viewer', byCommand), 'FORBIDDEN'],
  [
    'is signed out',
    ({ id, session }) => server.services.staffSessions.end(id, session.sessionId, byCommand),
    'INVALID_TOKEN',
  ],
] satisfies [string, (member: Member) => Promise<unknown>, string][])(
  'a download stops, and reads no further, once its member %s',
  async (_change, change, code) => {
    const member = await newMember('support');
    const { file, read } = fileOf(100);
    const stream = createDownloads()(file, member.session, 'support');
    await once(stream, 'readable');
    stream.read();
    await change(member);
    await expect(text(stream)).rejects.toMatchObject({ code });
    expect(read.parts).toBeLessThan(10);
    expect(read.isOver).toBe(true);
  },
);

it('HEAD of a list as CSV has the headers of the file, and reads no row', async () => {
  const { browser } = await newStaff(server, 'viewer');
  const pages = vi.spyOn(DatabaseList.prototype, 'readPage');
  onTestFinished(() => void pages.mockRestore());
  const headers = { ...fromPage, cookie: browser.cookie };
  const path = '/api/v1/admin/accounts?format=csv';
  const response = await server.request('HEAD', path, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect((await server.request('GET', path, { headers })).status).toBe(200);
  expect(pages, 'by GET only').toHaveBeenCalledTimes(1);
});

it('a download is in the audit log with its list and filter, but not a refused one, nor HEAD', async () => {
  const { browser, email } = await newStaff(server, 'viewer');
  const headers = { ...fromPage, cookie: browser.cookie };
  const path = '/api/v1/admin/accounts?search=a&format=csv';
  for (const method of ['HEAD', 'GET']) await server.request(method, path, { headers });
  expect(await entriesOf(email)).toMatchObject([
    { target: 'list accounts', address: expect.any(String), details: { search: 'a' } },
  ]);
  const { session } = await newMember();
  const download = createDownloads();
  const first = download(fileOf(1).file, session);
  expect(() => download(fileOf(1).file, session)).toThrow('another list');
  await text(first);
  expect(await entriesOf(session.email)).toHaveLength(1);
});

it.each([
  ['licenses', formatLicenseKey(Array(15).fill(7))],
  ['licenses', ` ${formatLicenseKey(Array(15).fill(8)).toLowerCase().replaceAll('-', ' ')} `],
  ['api-keys', formatApiKey('A'.repeat(24))],
  ['accounts', formatApiKey('B'.repeat(24))],
])('a download of the %s found by a whole key leaves only its preview in the audit log: %s', async (list, key) => {
  const { browser, email } = await newStaff(server, 'viewer');
  const headers = { ...fromPage, cookie: browser.cookie };
  const query = new URLSearchParams({ search: key, format: 'csv' });
  expect((await server.request('GET', `/api/v1/admin/${list}?${query}`, { headers })).status).toBe(200);
  expect(await entriesOf(email)).toMatchObject([
    { details: { search: expect.stringMatching(/^(?:SVC-[78]{4}\.\.\..{4}|svc_live_[AB]{4})$/) } },
  ]);
});
