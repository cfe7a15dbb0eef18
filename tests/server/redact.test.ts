/** A field with the name of a secret never reaches the log, at any depth. */
import { describe, expect, it } from 'vitest';
import { redact } from '../../server/redact.ts';

const names = ['authorization', 'password', 'access_token', 'refresh_token', 'api_key', 'license_key', 'token'];

describe('redact', () => {
  it.each(names)('hides %s at every depth, including in lists', (name) => {
    const fields = { [name]: 's', a: { [name]: 's', b: { [name]: 's' } }, list: [{ [name]: 's' }] };
    const hidden = '[redacted]';
    expect(redact(fields)).toStrictEqual({
      [name]: hidden,
      a: { [name]: hidden, b: { [name]: hidden } },
      list: [{ [name]: hidden }],
    });
  });

  it('leaves everything else unchanged, including errors and dates', () => {
    const fields = { route: '/x', status: 200, none: null, at: new Date(0), err: new Error('boom') };
    const shown = redact(fields);
    expect(shown).toStrictEqual(fields);
    expect(shown.at).toBe(fields.at);
    expect(shown.err).toBe(fields.err);
  });

  it('stops at circular references', () => {
    const loop: Record<string, unknown> = { token: 's' };
    loop.self = loop;
    expect(JSON.stringify(redact(loop))).not.toContain('"s"');
  });
});
