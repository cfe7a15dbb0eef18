/** Which password hashes of other systems can be imported, and which algorithm verifies each of them. */
import { describe, expect, it } from 'vitest';
import { findHashProblem, kindOfHash } from '../../../server/accounts/password-hash.rules.ts';

type Argon2 = { m?: number | string; t?: number | string; p?: number | string; salt?: number; tag?: number };
const argon2id = ({ m = 65_536, t = 3, p = 4, salt = 22, tag = 43 }: Argon2 = {}) =>
  `$argon2id$v=19$m=${m},t=${t},p=${p}$${'aZ0+/'.repeat(40).slice(0, salt)}$${'bY9/+'.repeat(40).slice(0, tag)}`;
const bcrypt = (prefix = '$2b$', cost: number | string = 12, characters = 53) =>
  `${prefix}${String(cost).padStart(2, '0')}$${'./Az09'.repeat(10).slice(0, characters)}`;

describe('the algorithm of a hash', () => {
  it.each([
    ['', 'none'],
    [bcrypt('$2a$'), 'bcrypt'],
    [bcrypt('$2y$'), 'bcrypt'],
    [argon2id(), 'argon2id'],
    [`x${bcrypt()}`, 'argon2id'],
  ])('%j is %s', (hash, kind) => {
    expect(kindOfHash(hash)).toBe(kind);
  });
});

describe('an importable password hash', () => {
  it.each([
    ['none', ''],
    ['bcrypt as OpenBSD writes it', bcrypt('$2b$')],
    ['bcrypt as older programs write it', bcrypt('$2a$')],
    ['bcrypt as PHP writes it', bcrypt('$2y$')],
    ['bcrypt of the least cost', bcrypt('$2b$', 4)],
    ['bcrypt of the highest cost', bcrypt('$2b$', 15)],
    ['argon2id', argon2id()],
    ['argon2id of the least cost', argon2id({ m: 8, t: 1, p: 1 })],
    ['argon2id of the least memory for its lanes', argon2id({ m: 128, p: 16 })],
    ['argon2id of the highest cost', argon2id({ m: 262_144, t: 16, p: 16 })],
    ['argon2id with a short salt and tag', argon2id({ salt: 11, tag: 22 })],
    ['argon2id with a long salt and tag', argon2id({ salt: 86, tag: 172 })],
  ])('can be %s', (_, hash) => {
    expect(findHashProblem(hash)).toBeUndefined();
  });
});

describe('a password hash that cannot be imported', () => {
  it.each([
    ['a text', 'hunter2'],
    ['bcrypt of an unknown version', bcrypt('$2c$')],
    ['bcrypt without a version', bcrypt('$2$')],
    ['bcrypt of too low a cost', bcrypt('$2b$', 3)],
    ['bcrypt of too high a cost', bcrypt('$2b$', 16)],
    ['bcrypt with a cost of one digit', bcrypt().replace('12', '9')],
    ['bcrypt with a cost that is no number', bcrypt('$2b$', 'xx')],
    ['bcrypt with a character too few', bcrypt('$2b$', 12, 52)],
    ['bcrypt with a character too many', bcrypt('$2b$', 12, 54)],
    ['bcrypt with another character', bcrypt().replace('/', '+')],
    ['bcrypt after something else', `x${bcrypt()}`],
    ['bcrypt and something else', `${bcrypt()}\n`],
    ['argon2i', argon2id().replace('argon2id', 'argon2i')],
    ['argon2id of another version', argon2id().replace('v=19', 'v=16')],
    ['argon2id with too much memory', argon2id({ m: 262_145 })],
    ['argon2id with too little memory', argon2id({ m: 7, p: 1 })],
    ['argon2id with too little memory for its lanes', argon2id({ m: 31, p: 4 })],
    ['argon2id with too many passes', argon2id({ t: 17 })],
    ['argon2id without a pass', argon2id({ t: 0 })],
    ['argon2id with too many lanes', argon2id({ p: 17 })],
    ['argon2id without a lane', argon2id({ p: 0 })],
    ['argon2id with memory that is no number', argon2id({ m: '6x' })],
    ['argon2id with passes that are no number', argon2id({ t: 'x' })],
    ['argon2id with lanes that are no number', argon2id({ p: 'x' })],
    ['argon2id with too short a salt', argon2id({ salt: 10 })],
    ['argon2id with too long a salt', argon2id({ salt: 87 })],
    ['argon2id with too short a tag', argon2id({ tag: 21 })],
    ['argon2id with too long a tag', argon2id({ tag: 173 })],
    ['argon2id with another character', argon2id().replace('aZ', 'a.')],
    ['argon2id after something else', `x${argon2id()}`],
    ['argon2id and something else', `${argon2id()}\n`],
  ])('is refused with a list of what is allowed: %s', (_, hash) => {
    expect(findHashProblem(hash)).toBe(
      'password_hash must be empty, an argon2id hash (at most 262144 KiB and 16 passes) or a bcrypt hash (at most cost 15).',
    );
  });
});
