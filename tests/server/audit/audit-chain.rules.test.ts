/** The chain that reveals changes of the audit log: its format, and the problem reported for each change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  auditKeys,
  type ChainEnd,
  chainStart,
  chooseChainEnd,
  type EntryRow,
  findCutProblem,
  findEndProblem,
  findEntryProblem,
  findSealProblem,
  isHeadValid,
  isLater,
  listEntries,
  makeSeal,
  type SealRow,
  signCut,
  signHead,
} from '../../../server/audit/audit-chain.rules.ts';

const keys = auditKeys([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
const [newest, earlier = newest] = keys;
const [foreign] = auditKeys([Buffer.alloc(32, 3)]);

const entry: EntryRow = {
  id: 'e1',
  at_ms: 1000,
  actor_kind: 'staff',
  actor: 'ada@example.com',
  action: 'license.issue',
  target_kind: 'license',
  target_id: 'l1',
  target_label: 'LK-1',
  address: '192.0.2.1',
  details: '{"plan":"pro"}',
  seal_id: null,
};
const other: EntryRow = { ...entry, id: 'e2', address: null };
const first = makeSeal([entry, other], chainStart, 2000);
const endOf = ({ id, hash }: SealRow): ChainEnd => ({ seal_id: id, hash });
const headOf = (end: ChainEnd, key = newest) => signHead({ ...end, epoch: 0 }, key);

describe('a log sealed by another release stays valid, because these do not change:', () => {
  it('a seal', () => {
    expect(first).toStrictEqual({
      id: 1,
      sealed_at_ms: 2000,
      entries: 2,
      digests: 'e1 KXG1-JL-Vep-IwpNtnM6_zu76yRVe3iYP1SG2xsG4OM\ne2 GlFCQt4OC2DiDPbtqvCkQVLaqjpx2H8j7QlznaK44gg',
      previous_hash: '',
      hash: '3JlPgpygDilM61Yp7CmCF6SpRg3r9cKJD2BbRQx0XkM',
    });
  });

  it.each([
    [0, 'HK9npPzsxKTbX1G8hQFmL16s48uJK2NOl85_04ssOgU'],
    [5, 'b3fuelX8_Hs_YWXWfnZXYt9cj39DdyLYpgNo9pHuOcw'],
  ])('the signature of a head in the epoch %i', (epoch, signature) => {
    const head = { seal_id: 7, hash: 'abc', epoch };
    expect(signHead(head, newest)).toStrictEqual({ ...head, signature });
  });

  it('the signature of a cut', () => {
    const cut = { seal_id: 7, hash: 'abc', entries: 20, cut_at_ms: 1000 };
    const signature = 'tpxxIem0izPIKOGjhRvxgl_zhZ6tiMbQNj25rXwaAU8';
    expect(signCut(cut, newest)).toStrictEqual({ ...cut, signature });
  });
});

describe('a head', () => {
  it.each([
    ['a later seal', [0, 5], [0, 4], true],
    ['the same seal', [0, 5], [0, 5], false],
    ['an earlier seal', [0, 4], [0, 5], false],
    ['a later epoch with an earlier seal', [2, 1], [1, 9], true],
    ['an earlier epoch with a later seal', [1, 9], [2, 1], false],
  ])('with %s: whether it is later', (_, [epoch = 0, seal_id = 0], [otherEpoch = 0, otherSeal = 0], expected) => {
    expect(isLater({ epoch, seal_id, hash: 'a' }, { epoch: otherEpoch, seal_id: otherSeal, hash: 'b' })).toBe(expected);
  });

  it.each([
    ['the newest key', newest, true],
    ['an earlier key', earlier, true],
    ['a foreign key', foreign, false],
  ])('signed with %s: whether it is valid', (_, key, expected) => {
    expect(isHeadValid(headOf(endOf(first), key), keys)).toBe(expected);
  });

  it.each([{ seal_id: 8 }, { hash: 'abd' }, { epoch: 1 }])('is no longer valid with %o', (change) => {
    expect(isHeadValid({ ...signHead({ seal_id: 7, hash: 'abc', epoch: 3 }, newest), ...change }, keys)).toBe(false);
  });
});

describe('the next seal follows', () => {
  const head = headOf({ seal_id: 3, hash: 'three' });
  const forged = headOf({ seal_id: 3, hash: 'three' }, foreign);
  it.each([
    ['nothing at first', 0, undefined, chainStart],
    ['the newest seal', 3, head, { seal_id: 3, hash: 'three' }],
    ['the signed seal where later ones were deleted', 1, head, { seal_id: 3, hash: 'three' }],
    ['the signed seal where others were added', 5, head, { seal_id: 5, hash: 'three' }],
    ['no hash where the signature is not valid', 3, forged, { seal_id: 3, hash: 'unknown' }],
    ['no hash where all seals were deleted', 0, forged, { seal_id: 0, hash: 'unknown' }],
    ['no hash where the signature was deleted', 2, undefined, { seal_id: 2, hash: 'unknown' }],
  ])('%s', (_, newestSealId, signed, expected) => {
    expect(chooseChainEnd(newestSealId, signed, keys)).toStrictEqual(expected);
  });
});

describe('a seal', () => {
  const second = makeSeal([{ ...entry, id: 'e3' }], endOf(first), 3000);
  const name = 'seal 2, which begins with the entry e3,';
  const gapBefore = (id: number) =>
    `seal ${id}, which begins with the entry e3, does not follow seal 1: those between are missing`;

  it('lists its entries, even if a digest was deleted', () => {
    const [one, two] = first.digests.split('\n').map((line) => line.slice(3));
    expect(listEntries(first)).toStrictEqual([
      { id: 'e1', digest: one },
      { id: 'e2', digest: two },
    ]);
    expect(listEntries({ digests: 'e1' })).toStrictEqual([{ id: 'e1', digest: '' }]);
  });

  it.each<[string, Partial<SealRow>, string | undefined]>([
    ['as it was made', {}, undefined],
    ['with a later id', { id: 3 }, gapBefore(3)],
    ['with the id of the one before', { id: 1 }, gapBefore(1)],
    ['with another predecessor', { previous_hash: '' }, `${name} does not continue the seal before it`],
    ['with another time', { sealed_at_ms: 3001 }, `${name} was changed`],
    ['with another number of entries', { entries: 2 }, `${name} was changed`],
    ['with another digest', { digests: 'e3 x' }, `${name} was changed`],
    ['with one more digest', { digests: `${second.digests}\ne4 x` }, `${name} was changed`],
    ['with another hash', { hash: 'x' }, `${name} was changed`],
  ])('%s: the reported problem', (_, change, expected) => {
    expect(findSealProblem({ ...second, ...change }, endOf(first))).toBe(expected);
  });

  it('that states a number of entries other than it lists is wrong even if its hash was recomputed', () => {
    const twoInOne = makeSeal([{ ...entry, id: `a b\n${entry.id}` }], endOf(first), 0);
    expect(findSealProblem(twoInOne, endOf(first))).toMatch(/was changed$/);
  });

  it('of any chain fits the seal before it and no other', () => {
    const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(ids, { minLength: 2, maxLength: 4 }), (sealed) => {
        const ends = [chainStart];
        const seals = sealed.map((some, at) => {
          const entries = some.map((id) => ({ ...entry, id }));
          const seal = makeSeal(entries, ends[at] ?? chainStart, at);
          ends.push(endOf(seal));
          return seal;
        });
        for (const [at, seal] of seals.entries())
          for (const [end, last] of ends.entries()) expect(findSealProblem(seal, last) === undefined).toBe(at === end);
      }),
      { numRuns: 30 },
    );
  });
});

describe('an entry', () => {
  const sealed = { ...entry, seal_id: 1 };
  const [listed = { id: '', digest: '' }] = listEntries(first);
  const changed = 'the entry e1 was changed after it was sealed';
  it.each<[string, Partial<EntryRow>, string | undefined]>([
    ['as it was', {}, undefined],
    ['of another seal', { seal_id: 2 }, changed],
    ['of no seal', { seal_id: null }, changed],
    ['with another id', { id: 'e0' }, changed],
    ['at another time', { at_ms: 1001 }, changed],
    ['of another kind of actor', { actor_kind: 'user' }, changed],
    ['of another actor', { actor: 'eve@example.com' }, changed],
    ['with another action', { action: 'license.revoke' }, changed],
    ['with another kind of target', { target_kind: 'account' }, changed],
    ['with another target', { target_id: 'l2' }, changed],
    ['with another name of its target', { target_label: 'LK-2' }, changed],
    ['without its address', { address: null }, changed],
    ['with other details', { details: '{}' }, changed],
  ])('%s: the reported problem', (_, change, expected) => {
    expect(findEntryProblem(listed, { ...sealed, ...change }, 1)).toBe(expected);
  });

  it('that was deleted is reported as missing', () => {
    expect(findEntryProblem(listed, undefined, 1)).toBe('the entry e1 is missing: it was deleted after it was sealed');
  });
});

describe('the end of the chain', () => {
  const last = { seal_id: 3, hash: 'three' };
  it.each([
    ['without seals and signature', chainStart, undefined, undefined],
    ['as it was signed', last, headOf(last), undefined],
    ['signed by an earlier key', last, headOf(last, earlier), undefined],
    ['without its signature', last, undefined, 'the signature of the newest seal is missing'],
    [
      'without its last seals',
      last,
      headOf({ seal_id: 5, hash: 'five' }),
      'the newest entries are missing: there is no seal 4 or later',
    ],
    ['with another seal', last, headOf({ seal_id: 2, hash: 'three' }), 'seal 3 was not made by this server'],
    ['with a seal that was made again', last, headOf({ seal_id: 3, hash: 'x' }), 'seal 3 was not made by this server'],
    ['signed by a foreign key', last, headOf(last, foreign), 'the signature of the newest seal is not valid'],
  ])('%s: the reported problem', (_, end, head, expected) => {
    expect(findEndProblem(end, head, keys)).toBe(expected);
  });

  it('is accepted as signed if there is no key', () => {
    expect(findEndProblem(last, headOf(last, foreign), undefined)).toBeUndefined();
  });
});

describe('the marker of deleted entries', () => {
  const cutBy = (key = newest) => signCut({ seal_id: 7, hash: 'abc', entries: 20, cut_at_ms: 1000 }, key);
  const invalid = 'the marker of what was deleted for its age has no valid signature';
  it.each([
    ['signed by the newest key', cutBy(), undefined],
    ['signed by an earlier key', cutBy(earlier), undefined],
    ['signed by a foreign key', cutBy(foreign), invalid],
    ['with another seal', { ...cutBy(), seal_id: 8 }, invalid],
    ['with another hash', { ...cutBy(), hash: 'abd' }, invalid],
    ['with another number of entries', { ...cutBy(), entries: 21 }, invalid],
    ['with another time', { ...cutBy(), cut_at_ms: 1001 }, invalid],
  ])('%s: the reported problem', (_, cut, expected) => {
    expect(findCutProblem(cut, keys)).toBe(expected);
  });

  it('is accepted as signed if there is no key', () => {
    expect(findCutProblem(cutBy(foreign), undefined)).toBeUndefined();
  });

  it('cannot be replaced by the signature of a head', () => {
    const head = signHead({ seal_id: 7, hash: 'abc', epoch: 1 }, newest);
    expect(findCutProblem({ ...cutBy(), signature: head.signature }, keys)).toBe(invalid);
  });
});
