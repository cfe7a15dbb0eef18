/** The matrix of faults and abuse: what each row does to the service, where its tests are, and what must hold. */

type Amounts = {
  /** The amount in `npm test -- --all`, if less than the short one. */
  readonly quick?: number;
  readonly short: number;
  readonly long: number;
  readonly of: string;
};

export type Row = {
  readonly number: number;
  readonly what: string;
  /** Test files relative to the repository's root. The figures come from the first file that reports any. */
  readonly files: readonly string[];
  /** What must hold. */
  readonly holds: string;
  /** How many units a run covers, and of what; `null` if every run covers all there is. */
  readonly amounts: Amounts | null;
  /** The weakness that was planted to see the row fail; `null` if none has been tried. */
  readonly planted: string | null;
};

export const rows: readonly Row[] = [
  {
    number: 1,
    what: 'kill -9 at random under eight writers',
    files: ['tests/faults/kill.test.ts'],
    holds: 'no acknowledged write is lost, the database is whole, and the server serves again in under 2 s',
    amounts: { quick: 15, short: 50, long: 2000, of: 'kills' },
    planted: 'a server that rolls back one write in fifty and acknowledges it all the same',
  },
  {
    number: 2,
    what: 'power loss: writes that were not synced are dropped, kept in part, or torn',
    files: ['tests/faults/power-loss.test.ts'],
    holds: 'nothing acknowledged is lost, every image can be read; without the sync the same test fails',
    amounts: { quick: 300, short: 1000, long: 100_000, of: 'images' },
    planted: 'a log that is never synced, which the row itself tries each time',
  },
  {
    number: 3,
    what: 'EIO and ENOSPC at the k-th write or sync of the disk',
    files: ['tests/faults/disk-errors.test.ts', 'tests/faults/full-disk.test.ts'],
    holds: 'no acknowledgement of what is not stored; the server says that it is not ready, and recovers or ends',
    amounts: { quick: 40, short: 100, long: 400, of: 'faults' },
    planted:
      'a failed sync that is taken for one that succeeded; and a server that says it is ready although writes fail',
  },
  {
    number: 4,
    what: 'a migration killed at every statement',
    files: ['tests/faults/killed-migration.test.ts'],
    holds: 'the old schema or the new one, and another run completes it',
    amounts: null,
    planted: 'a migration that is committed before it is noted as applied',
  },
  {
    number: 5,
    what: 'activation race: 4 processes, 64 requests each, for 5 places',
    files: ['tests/faults/four-processes.test.ts', 'tests/faults/activation-race.test.ts'],
    holds: 'exactly 5 succeed; the same device twice is one place with one id',
    amounts: { quick: 40, short: 100, long: 10_000, of: 'licenses' },
    planted: 'a limit that is one place higher than the license says',
  },
  {
    number: 6,
    what: 'refresh race: one token, 50 requests at once',
    files: ['tests/faults/refresh-race.test.ts'],
    holds: 'one successor; the second use ends the session',
    amounts: { short: 50, long: 5000, of: 'tokens' },
    planted: 'a token used twice that is refused, but does not end its session',
  },
  {
    number: 7,
    what: 'the answer is lost after the act, at every endpoint',
    files: ['tests/faults/lost-answers.test.ts'],
    holds: 'the same request again comes to the same end',
    amounts: { short: 500, long: 20_000, of: 'answers' },
    planted: 'a server that ignores the Idempotency-Key',
  },
  {
    number: 8,
    what: 'the clock: 400 days off, jumps of 8 days, the leap day, 2038',
    files: ['tests/faults/clock.test.ts'],
    holds: 'limits are on monotonic time, no token lives longer, Retry-After is never negative',
    amounts: { short: 20, long: 200, of: 'histories' },
    planted:
      'rate limits that are counted by the time of day; and verified tokens that were remembered however far the clock was set back, which the row found',
  },
  {
    number: 9,
    what: 'slow headers, slow bodies, slow readers',
    files: ['tests/faults/slow-sockets.test.ts'],
    holds: 'keys are validated meanwhile, and the sockets are gone in 15 s',
    amounts: { short: 1000, long: 5000, of: 'sockets' },
    planted:
      'two minutes for the headers of a request; and an idle time of 75 s for responses that nobody reads, which the row found',
  },
  {
    number: 10,
    what: 'bodies of every ill form, generated from the schemas',
    files: ['tests/faults/ill-bodies.test.ts', 'tests/server/http/random-input.test.ts'],
    holds: 'an error in the usual form, never of the server, and the memory stays as it is',
    amounts: { short: 5000, long: 1_000_000, of: 'bodies' },
    planted: 'a parser that keeps 20 kB for each body',
  },
  {
    number: 11,
    what: 'request smuggling, 1,500 headers, 20 kB of headers',
    files: ['tests/faults/smuggling.test.ts', 'tests/server/http/raw-requests.test.ts'],
    holds: 'refused, and the connection is closed',
    amounts: null,
    planted: "Node's lenient parser",
  },
  {
    number: 12,
    what: 'forwarded addresses made up, one IPv6 network, a million addresses',
    files: ['tests/faults/forwarded-addresses.test.ts', 'tests/server/http/client-address.test.ts'],
    holds: 'each limit is exact, and counting takes less than 150 MB',
    amounts: null,
    planted:
      'a forwarded address that is believed from any sender; it also found that counting more than 100,000 addresses took 60 times as long',
  },
  {
    number: 13,
    what: 'tokens and leases forged in every known way',
    files: ['tests/faults/forged-tokens.test.ts', 'tests/server/auth/bearer-token.test.ts'],
    holds: 'each is refused',
    amounts: { short: 10_000, long: 10_000, of: 'changed tokens' },
    planted: 'an access token with the algorithm `none`, whose claims are believed',
  },
  {
    number: 14,
    what: 'the ids of another account at every endpoint, those of staff included',
    files: ['tests/faults/foreign-ids.test.ts', 'tests/server/staff/admin-endpoints.test.ts'],
    holds: 'no datum of the other account, and no answer tells that the id exists',
    amounts: null,
    planted:
      'a list of devices that is not limited to the account; and an answer to the account page that a session is of another account',
  },
  {
    number: 15,
    what: 'how long an answer takes for known and unknown emails, and for the beginnings of keys',
    files: ['tests/faults/timing.test.ts'],
    holds: 'the medians are within 5 %',
    amounts: { short: 500, long: 5000, of: 'pairs' },
    planted: 'no hash for an email that has no account',
  },
  {
    number: 16,
    what: 'a flood of sign-ins',
    files: ['tests/faults/sign-in-flood.test.ts'],
    holds: 'other requests go on, and the queue is bounded',
    amounts: { quick: 15, short: 60, long: 60, of: 'seconds' },
    planted: 'a queue of passwords without a bound',
  },
  {
    number: 17,
    what: '40 secrets through every path, then looked for in logs, database, backups, state and the memory of the window',
    files: ['tests/faults/canaries.test.ts', 'tests/server/log.test.ts', 'tests/e2e/window-heap.spec.ts'],
    holds: 'none is there but as a hash; the window has an API key only while it shows it, once, to be saved',
    amounts: null,
    planted:
      'a password that is written to the log; a password that the window keeps; and a link whose license key reaches the window',
  },
  {
    number: 18,
    what: 'emails and passwords of all of Unicode',
    files: ['tests/faults/unicode-accounts.test.ts'],
    holds: 'no two accounts that compare equal',
    amounts: { short: 10_000, long: 10_000, of: 'spellings' },
    planted: 'a key of emails that is composed before it is in lower case only, which the row found',
  },
  {
    number: 19,
    what: 'the window attacked: calls to the main process, navigation, permissions, paths, links',
    files: [
      'tests/faults/attacked-window.test.ts',
      'tests/security/window-security.test.ts',
      'tests/electron/ipc/register-commands.test.ts',
      'tests/electron/windows/app-protocol.test.ts',
      'tests/electron/opening/deep-link.test.ts',
      'tests/electron/opening/open-requests.test.ts',
    ],
    holds: 'refused and logged',
    amounts: null,
    planted:
      'calls that a frame inside the page may make; a symbolic link that is followed out of the folder; and navigation that is refused without a line in the log, which the row found',
  },
  {
    number: 20,
    what: 'no network but loopback',
    files: ['tests/faults/no-network.test.ts'],
    holds: 'the server does all its work: nothing is called that is not configured',
    amounts: null,
    planted: 'a server that asks another one before it listens',
  },
  {
    number: 21,
    what: 'mixed load',
    files: ['tests/faults/mixed-load.test.ts'],
    holds: 'no error, the memory is bounded, and so is the log',
    amounts: { quick: 20, short: 120, long: 28_800, of: 'seconds' },
    planted: '200 kB kept for each request',
  },
  {
    number: 22,
    what: 'the events of a year of two billing providers, in any order',
    files: ['tests/faults/billing-permutations.test.ts'],
    holds: 'one final state, the right one',
    amounts: { quick: 60, short: 200, long: 10_000, of: 'orders' },
    planted: 'events that are applied in the order in which they arrive',
  },
];

/** Returns the row with this number. Throws if there is none. */
export function rowOf(number: number): Row {
  const row = rows.find((each) => each.number === number);
  if (!row) throw new Error(`the matrix has no row ${number}`);
  return row;
}
