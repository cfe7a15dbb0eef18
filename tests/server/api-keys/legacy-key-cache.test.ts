/** Ill-formed keys cost no look-up where there are no legacy keys. */
import { describe, expect, it } from 'vitest';
import { LegacyKeyCache } from '../../../server/api-keys/legacy-key-cache.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

function watch(answers: { there: boolean }) {
  const clock = createFakeClock();
  let asked = 0;
  const presence = new LegacyKeyCache(clock, async () => {
    asked += 1;
    return answers.there;
  });
  return { clock, presence, asked: () => asked };
}

describe('the presence of legacy keys', () => {
  it('is asked for once in a while, as long as there are none', async () => {
    const { clock, presence, asked } = watch({ there: false });
    for (let call = 0; call < 100; call++) expect(await presence.isThereAny()).toBe(false);
    expect(asked()).toBe(1);
    clock.advance(25);
    expect(await presence.isThereAny()).toBe(false);
    expect(asked()).toBe(2);
  });

  it('is noticed when another process imports one, and stays', async () => {
    const answers = { there: false };
    const { clock, presence, asked } = watch(answers);
    await presence.isThereAny();
    answers.there = true;
    clock.advance(25);
    expect(await presence.isThereAny()).toBe(true);
    clock.advance(1000);
    expect(await presence.isThereAny()).toBe(true);
    expect(asked()).toBe(2);
  });

  it('is not denied to those who ask while the first look-up is on its way', async () => {
    const { presence, asked } = watch({ there: true });
    expect(await Promise.all([presence.isThereAny(), presence.isThereAny()])).toEqual([true, true]);
    expect(asked()).toBe(1);
  });

  it('is unknown after a look-up that failed, and asked for again', async () => {
    const answers = [() => Promise.reject(new Error('no database')), async () => true];
    const presence = new LegacyKeyCache(createFakeClock(), () => answers.shift()?.() ?? Promise.resolve(false));
    await expect(presence.isThereAny()).rejects.toThrow('no database');
    expect(await presence.isThereAny()).toBe(true);
  });

  it('is known at once when this process imports one', async () => {
    const { presence } = watch({ there: false });
    await presence.isThereAny();
    presence.noteImport();
    expect(await presence.isThereAny()).toBe(true);
  });

  it('stays known when one is imported during a look-up that saw none', async () => {
    const { presence } = watch({ there: false });
    const asking = presence.isThereAny();
    presence.noteImport();
    await asking;
    expect(await presence.isThereAny()).toBe(true);
  });
});
