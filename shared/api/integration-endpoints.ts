/**
 * Endpoints for programs other than the app: what billing providers and GitHub send, and the public keys of leases. Same
 * form as `endpoints`, but no part of the app's client. The names appear in the headers that report a rate limit.
 */
import { z } from 'zod';
import { publicJwk } from '../jws.ts';
import { successResponse } from './auth.ts';
import type { Endpoint } from './endpoints.ts';
import { githubReportRequest, githubReportResponse } from './github-report.ts';
import { leaseKeysEndpoint } from './lease.ts';

/** Larger than for other requests, because Stripe's events list every item of a subscription. */
const bodyLimit = 256 * 1024;

/** An event in the provider's own format, of which the server reads what it needs. */
const billingEvent = z.looseObject({});

const billingWebhook = {
  method: 'POST',
  auth: 'signature',
  rate: 'default',
  bodyLimit,
  request: billingEvent,
  response: successResponse,
  errors: [],
  extension: true,
} as const;

export const integrationEndpoints = {
  billing_webhook: {
    ...billingWebhook,
    summary: 'Receive an event of your own billing, signed according to Standard Webhooks',
    path: '/billing/webhook',
    headers: {
      'webhook-id': 'The id of the event: an event that is sent again is applied once.',
      'webhook-timestamp': 'When it was sent, in seconds since 1970.',
      'webhook-signature': 'HMAC-SHA-256 of the id, the time and the body.',
    },
  },
  billing_stripe: {
    ...billingWebhook,
    summary: 'Receive an event of Stripe',
    path: '/billing/stripe',
    headers: { 'stripe-signature': 'The time, and HMAC-SHA-256 of the time and the body.' },
  },
  billing_lemonsqueezy: {
    ...billingWebhook,
    summary: 'Receive an event of Lemon Squeezy',
    path: '/billing/lemonsqueezy',
    headers: { 'x-signature': 'HMAC-SHA-256 of the body.' },
  },
  github_report: {
    summary: 'Receive a report of GitHub’s secret scanning; API keys of this server are revoked at once',
    method: 'POST',
    path: '/metrics/api-key/github',
    auth: 'signature',
    rate: 'default',
    headers: {
      'github-public-key-identifier': 'Which of GitHub’s public keys verifies the signature.',
      'github-public-key-signature': 'ECDSA over the body.',
    },
    bodyLimit,
    request: githubReportRequest,
    response: githubReportResponse,
    errors: [],
    extension: true,
  },
  jwks: { ...leaseKeysEndpoint, outsideApi: true, response: z.object({ keys: z.array(publicJwk) }) },
} as const satisfies Record<string, Endpoint>;

type Table = typeof integrationEndpoints;

export type IntegrationEndpointName = keyof Table;

/** The endpoints whose requests are signed. */
export type SignedEndpointName = {
  [N in IntegrationEndpointName]: Table[N]['auth'] extends 'signature' ? N : never;
}[IntegrationEndpointName];
