/** Versions: which texts are valid, and which of two is newer, as defined by semver.org. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareVersions, parseVersion, type Version } from '../../../shared/formats/version.ts';

const parse = (text: string): Version => {
  const version = parseVersion(text);
  if (!version) throw new Error(`${text} is no version`);
  return version;
};
const sign = (a: string, b: string) => Math.sign(compareVersions(parse(a), parse(b)));

it.each(['0.0.0', '1.2.3', '10.20.30', '1.0.0-beta.1', '1.0.0-0a.x-y', '1.0.0--', '1.0.0+build.007', '1.0.0-rc.1+5'])(
  '%s is a version',
  (text) => expect(parseVersion(text)).not.toBeNull(),
);

it.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '1.2.3 ',
  '01.2.3',
  '1.2.3-',
  '1.2.3-01',
  '1.2.3-a..b',
  '1.2.3+',
  '1.2.3.4',
  '１.2.3',
  `1.2.3-${'a'.repeat(100)}`,
])('%j is not a version', (text) => expect(parseVersion(text)).toBeNull());

it('each of these versions is newer than the one before', () => {
  const inOrder = [
    ...['0.9.10', '0.10.0', '1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta'],
    ...[
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1-9007199254740993',
      '1.0.1-90071992547409931',
    ],
    ...['1.0.1', '1.1.0', '2.0.0'],
  ];
  for (const [index, version] of inOrder.entries()) {
    for (const [other, earlier] of inOrder.entries()) expect(sign(version, earlier)).toBe(Math.sign(index - other));
  }
});

it('build metadata after a plus does not make a version newer', () => {
  expect(sign('1.0.0+1', '1.0.0+2')).toBe(0);
  expect(sign('1.0.0', '1.0.0+2')).toBe(0);
});

it('no two versions are both newer than each other', () => {
  const part = fc.constantFrom('0', '1', '2', '10', 'a', 'b', '-');
  const version = fc
    .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.array(part, { maxLength: 3 }))
    .map(([major, minor, patch, rest]) => `${major}.${minor}.${patch}${rest.length > 0 ? `-${rest.join('.')}` : ''}`);
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(sign(a, b) + sign(b, a)).toBe(0);
    }),
  );
});
