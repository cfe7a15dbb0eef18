/** What a person needs to try the demo; kept beside the database, which has passwords and license keys as hashes only. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { crockfordAlphabet } from '../../shared/formats/crockford.ts';
import type { Random } from '../random.ts';

const demoAccount = z.object({ email: z.string(), password: z.string(), license_key: z.string() });
export type DemoAccount = z.infer<typeof demoAccount>;

const demoFacts = demoAccount.extend({ full_account: demoAccount });
export type DemoFacts = z.infer<typeof demoFacts>;

/** `undefined` where nothing is known, or nothing that can be read. */
export function readDemoFacts(path: string): DemoFacts | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return demoFacts.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export function writeDemoFacts(path: string, facts: DemoFacts): void {
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, path);
}

/** A password of 60 random bits that can be typed: three groups of four. */
export function newDemoPassword(random: Random): string {
  const characters = [...random(12)].map((byte) => crockfordAlphabet.charAt(byte & 31).toLowerCase());
  return [0, 4, 8].map((start) => characters.slice(start, start + 4).join('')).join('-');
}
