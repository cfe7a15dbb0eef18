/** Who may own, read and change a secret file and everything on the path to it. */
import { describe, expect, it } from 'vitest';
import {
  findAccessProblem,
  hasNoOtherMembers,
  type PathEntry,
  type Process,
  quote,
} from '../../server/private-file.rules.ts';

const user: Process = { uid: 1000, gids: [1000, 27], trustedOwners: [0, 1000], isPrivateGroup: (gid) => gid === 1000 };
const root: Process = { uid: 0, gids: [0], trustedOwners: [0], isPrivateGroup: (gid) => gid === 0 };
const entry = (kind: PathEntry['kind'], uid: number, gid: number, mode: number): PathEntry => ({
  kind,
  path: '/a b/c',
  uid,
  gid,
  mode,
});

describe('an entry on the path to a secret file', () => {
  it.each<[string, PathEntry, Process]>([
    ['a file of the user', entry('file', 1000, 1000, 0o600), user],
    ['a file that the user may only read', entry('file', 1000, 1000, 0o400), user],
    ['a file of root for a group of the user', entry('file', 0, 27, 0o440), user],
    ['a link of root', entry('link', 0, 0, 0o777), user],
    ['a folder that everybody can list', entry('folder', 0, 0, 0o755), user],
    ['a folder such as /tmp', entry('folder', 0, 0, 0o1777), user],
    ['a folder above that, for the group of the user alone', entry('ancestor', 1000, 1000, 0o775), user],
  ])('is accepted: %s', (_, accepted, self) => {
    expect(findAccessProblem(accepted, self)).toBeUndefined();
  });

  it.each<[string, PathEntry, Process, string]>([
    ['a file that its group can read', entry('file', 1000, 1000, 0o640), user, "chmod 600 '/a b/c'"],
    ['a file of root that its group can read, for root', entry('file', 0, 0, 0o440), root, "chmod 600 '/a b/c'"],
    ['one for another group', entry('file', 0, 50, 0o440), user, "chown 1000 '/a b/c' && chmod 600 '/a b/c'"],
    ['one that its group can change', entry('file', 0, 27, 0o460), user, "chown 1000 '/a b/c' && chmod 600 '/a b/c'"],
    ['one that everybody can read', entry('file', 0, 27, 0o444), user, "chown 1000 '/a b/c' && chmod 600 '/a b/c'"],
    ['a file of another user', entry('file', 1001, 1000, 0o600), user, "chown 1000 '/a b/c'"],
    ['a file of another user, for root', entry('file', 1001, 0, 0o600), root, "chown 0 '/a b/c'"],
    ['a link of another user', entry('link', 1001, 0, 0o777), user, "chown -h 1000 '/a b/c'"],
    ['a folder of another user, sticky or not', entry('ancestor', 1001, 0, 0o1755), user, "chown 1000 '/a b/c'"],
    ['a folder that everybody can change', entry('ancestor', 1000, 1000, 0o757), user, "chmod go-w '/a b/c'"],
    ['a folder that a group can change', entry('ancestor', 0, 27, 0o775), user, "chmod go-w '/a b/c'"],
    ['the folder of the file, also for the own group', entry('folder', 1000, 1000, 0o770), user, "chmod go-w '/a b/c'"],
  ])('is a problem with a command that solves it: %s', (_, refused, self, command) => {
    expect(findAccessProblem(refused, self)).toMatchObject({ command });
  });

  it.each<[PathEntry, string]>([
    [entry('file', 1001, 1000, 0o600), 'another user (uid 1001) owns /a b/c'],
    [entry('file', 1000, 1000, 0o640), 'other users can read or change /a b/c (mode 0640)'],
    [entry('file', 1000, 1000, 0o001), 'other users can read or change /a b/c (mode 0001)'],
    [entry('folder', 1000, 1000, 0o757), 'other users can replace the file, because its folder /a b/c has mode 0757'],
  ])('is a problem: %o, with the reason: %s', (refused, reason) => {
    expect(findAccessProblem(refused, user)).toMatchObject({ reason });
  });
});

it.each([
  ['/etc/latchkey/secrets_1.json', '/etc/latchkey/secrets_1.json'],
  ['C:/a@b,c%d+e=f-g', 'C:/a@b,c%d+e=f-g'],
  ['/a b', "'/a b'"],
  ['/a;b', "'/a;b'"],
  ['/a\n', "'/a\n'"],
  ['~/$HOME', "'~/$HOME'"],
  ["/it's", "'/it'\\''s'"],
  ['', "''"],
])('the path %j is quoted as %s for a shell', (path, quoted) => {
  expect(quote(path)).toBe(quoted);
});

describe('a group', () => {
  const tables = {
    passwd: [
      'root:x:0:0:root:/root:/bin/sh',
      '# a comment',
      '#eve:x:1001:1000::/home/eve:/bin/sh',
      '',
      'ada:x:1000:1000::/home/ada:/bin/sh',
      'eve:x:1001:100::/home/eve:/bin/sh',
    ].join('\n'),
    group: [
      ...['root:x:0:', 'ada:x:1000:', '#ada:x:1000:eve', 'users:x:100:', 'sudo:x:27:ada,root'],
      ...['docker:x:999:ada,eve', 'short:x:50', 'gone:x:51:zoe', ''],
    ].join('\n'),
  };
  it.each([
    [1000, 'has the user alone', true],
    [0, 'has root alone', true],
    [27, 'has root beside the user', true],
    [999, 'has another member', false],
    [100, 'is the first group of another user', false],
    [50, 'has no members, and no colon before them', true],
    [51, 'has a member that is no user', false],
    [5000, 'is in no table', false],
  ])('%i %s: has no other members is %s', (gid, _, expected) => {
    expect(hasNoOtherMembers(gid, 1000, tables)).toBe(expected);
  });
});
