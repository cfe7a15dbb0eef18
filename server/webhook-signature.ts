/**
 * Signatures of the webhooks that we send and receive, as defined by Standard Webhooks 1.0.0 (standardwebhooks.com).
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameTag } from './encryption.ts';

const secretPrefix = 'whsec_';
const minSecretBytes = 16;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Maximum difference between a message's time and ours, so that a recorded message cannot be replayed later. */
export const signatureToleranceMs = 5 * 60_000;

/** Decodes the key of a secret such as `whsec_…`; `undefined` if it is not base64 or too short to be safe. */
export function parseWebhookSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text;
  if (!base64.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= minSecretBytes ? key : undefined;
}

/** Formats a key as the secret that people copy. */
export function formatWebhookSecret(key: Buffer): string {
  return secretPrefix + key.toString('base64');
}

type WebhookMessage = {
  readonly id: string;
  /** When this attempt to send it was made, in seconds since 1970. */
  readonly timestamp: number | string;
  readonly body: string | Buffer;
};

/** Returns the value of the header `webhook-signature`. */
export function signWebhook(key: Buffer, message: WebhookMessage): string {
  return `v1,${digest(key, message).toString('base64')}`;
}

export type SignedRequest = {
  readonly headers: IncomingHttpHeaders;
  /** The unparsed body. */
  readonly body: Buffer;
  readonly nowMs: number;
};

/** Returns true if one of the signatures is valid and the time of the message is within 5 minutes of ours. */
export function verifyWebhook(key: Buffer, { headers, body, nowMs }: SignedRequest): boolean {
  const [id, timestamp, signatures] = [
    headers['webhook-id'],
    headers['webhook-timestamp'],
    headers['webhook-signature'],
  ];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!/^[\x21-\x7e]{1,255}$/.test(id) || !isTimely(timestamp, nowMs)) return false;
  const expected = digest(key, { id, timestamp, body });
  return signatures.split(' ').some((signature) => {
    const [version, encoded = ''] = signature.split(',');
    return version === 'v1' && isSameTag(Buffer.from(encoded, 'base64'), expected);
  });
}

/** Returns true if a time in whole seconds since 1970 is at most `signatureToleranceMs` from now. */
export function isTimely(timestamp: string, nowMs: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - nowMs) <= signatureToleranceMs;
}

function digest(key: Buffer, { id, timestamp, body }: WebhookMessage): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
