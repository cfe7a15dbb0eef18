/** What is read from a stored document, and what a write keeps of one that cannot be read. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CachedDocument } from '../../../electron/licensing/cached-document.ts';
import { KeptDocument } from '../../../electron/licensing/kept-document.ts';
import { readDocument } from '../../../electron/licensing/stored-document.ts';
import { createFakePlatform } from '../fake-platform.ts';

const schema = z.object({ version: z.literal(1), text: z.string() });
const kept = { version: 1, text: 'kept' };

function startWith(text: string | null) {
  const { plain, secrets, log } = createFakePlatform();
  if (text !== null) plain.values.set('note', text);
  return { plain, secrets, log };
}

describe('a stored document', () => {
  it.each([
    ['that is not there is absent', null, { kind: 'absent' }],
    ['that is empty is absent', '', { kind: 'absent' }],
    ['of this version is read', JSON.stringify(kept), { kind: 'value', value: kept, isNewer: false }],
    ['that is no JSON is damaged', '{', { kind: 'unreadable', why: 'damaged' }],
    ['with other content is damaged', '{"version":1}', { kind: 'unreadable', why: 'damaged' }],
    ['of a newer version is not read', '{"version":2,"text":"new"}', { kind: 'unreadable', why: 'newer' }],
    [
      'of a newer version that says so is read',
      '{"version":2,"min_reader":1,"text":"new"}',
      { kind: 'value', value: { version: 1, text: 'new' }, isNewer: true },
    ],
    [
      'of a newer version with other content is newer, not damaged',
      '{"version":2,"min_reader":1}',
      { kind: 'unreadable', why: 'newer' },
    ],
  ])('%s', async (_, text, expected) => {
    expect(await readDocument(startWith(text).plain, 'note', schema)).toEqual(expected);
  });

  it('in a store that fails is unreadable', async () => {
    const { plain } = startWith(JSON.stringify(kept));
    plain.breakRead('note', true);
    expect(await readDocument(plain, 'note', schema)).toEqual({ kind: 'unreadable', why: 'store' });
  });

  it.each([
    [JSON.stringify(kept), []],
    ['damaged', ['damaged']],
    ['{"version":2,"min_reader":1,"text":"new"}', ['{"version":2,"min_reader":1,"text":"new"}']],
  ])('%s is set aside once if it could not be read in full', async (text, expected) => {
    const { plain, log } = startWith(text);
    const document = new CachedDocument({ plain, log, name: 'note', schema });
    await document.read();
    for (const next of ['one', 'two']) await document.write({ text: next });
    const aside = [...plain.values].flatMap(([name, value]) => (name === 'note' ? [] : [value]));
    expect(aside).toEqual(expected);
  });

  it('that was not read first is overwritten', async () => {
    const { plain, log } = startWith(JSON.stringify(kept));
    await new CachedDocument({ plain, log, name: 'note', schema }).write({ text: 'next' });
    expect([...plain.values.keys()]).toEqual(['note']);
  });

  it('is on disk once its writes are awaited', async () => {
    const { secrets, log } = startWith(null);
    const document = new KeptDocument({ secrets, log, name: 'note', schema });
    void document.remember({ text: 'next' });
    await document.flush();
    expect(JSON.parse(secrets.values.get('note') ?? '')).toMatchObject({ text: 'next' });
  });
});
