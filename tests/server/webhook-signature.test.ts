/** Signatures of webhooks, checked against the examples of the specification and the library of its authors. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { formatWebhookSecret, parseWebhookSecret, signWebhook, verifyWebhook } from '../../server/webhook-signature.ts';

/** An example from the tests of the libraries at github.com/standard-webhooks/standard-webhooks. */
const example = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const exampleKey = parseWebhookSecret(example.secret) ?? Buffer.alloc(0);

describe('the signature of a webhook', () => {
  it('matches the example of the specification', () => {
    expect(signWebhook(exampleKey, example)).toBe(example.signature);
  });

  it('is accepted by the library, and signatures of the library are accepted too', () => {
    const key = randomBytes(32);
    const library = new Webhook(formatWebhookSecret(key));
    const nowMs = Date.now();
    const message = { id: 'msg_1', timestamp: Math.floor(nowMs / 1000), body: '{"a":"ä"}' };
    const headers = { 'webhook-id': message.id, 'webhook-timestamp': String(message.timestamp) };
    const ours = { ...headers, 'webhook-signature': signWebhook(key, message) };
    expect(library.verify(message.body, ours)).toEqual({ a: 'ä' });
    const theirs = { ...headers, 'webhook-signature': library.sign(message.id, new Date(nowMs), message.body) };
    expect(verifyWebhook(key, { headers: theirs, body: Buffer.from(message.body), nowMs })).toBe(true);
    expect(verifyWebhook(key, { headers: theirs, body: Buffer.from('{"a":"b"}'), nowMs })).toBe(false);
  });
});

describe('a secret', () => {
  it('is accepted with and without its prefix', () => {
    expect(parseWebhookSecret(example.secret.slice(6))).toEqual(exampleKey);
    expect(formatWebhookSecret(exampleKey)).toBe(example.secret);
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_not base64 at all!!', 'whsec_AAAA-_AAAAAAAAAAAAAAAAAAAAAAAAAA'])(
    'cannot be %j',
    (text) => {
      expect(parseWebhookSecret(text)).toBeUndefined();
    },
  );
});
