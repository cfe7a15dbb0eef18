/** Messages of the API key endpoints, `/metrics/api-key` and `/metrics/api-key/validate`. */
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { apiKeyFeatures, validKeyFeatures } from './features.ts';
import { openText, timestamp } from './fields.ts';

/** Generates the first key or returns the existing key's prefix; `regenerate` replaces the key. */
export const apiKeyRequest = z.object({
  regenerate: z.boolean().default(false),
});

const apiKeyFields = {
  is_legacy: z.boolean(),
  plan: z.string(),
  features: apiKeyFeatures,
  created_at: timestamp,
  message: z.string(),
};

/** A new key, returned only this once. */
export const newApiKey = z.object({
  api_key: z.string().min(1),
  ...apiKeyFields,
});

const existingApiKey = z.object({
  api_key_prefix: z.string().min(1),
  ...apiKeyFields,
});

export const apiKeyResponse = z.union([newApiKey, existingApiKey]);
export type ApiKeyResponse = z.infer<typeof apiKeyResponse>;

/**
 * Extension: the account's key, or its last one if that was revoked; null if there never was one. Generates none.
 * `reported_at`: when it was revoked because someone reported it as leaked.
 */
export const apiKeyStatusResponse = z.object({
  key: z
    .object({
      api_key_prefix: z.string().min(1),
      is_legacy: z.boolean(),
      created_at: timestamp,
      revoked_at: timestamp.nullable(),
      reported_at: timestamp.nullable(),
    })
    .nullable(),
});
export type ApiKeyStatusResponse = z.infer<typeof apiKeyStatusResponse>;

/** Extension: a full key, sent by the person or program that found it. */
export const reportApiKeyRequest = z.object({ api_key: z.string() });

/** The same whether or not the key exists. */
export const reportApiKeyResponse = z.object({ success: z.literal(true) });

/** The key is required, in the body or in the header `x-api-key`. */
export const validateApiKeyRequest = z.object({
  api_key: z.string().optional(),
});

const validApiKey = z.object({
  valid: z.literal(true),
  plan: z.string(),
  source: openText(['new', 'legacy']),
  features: validKeyFeatures,
  subscription_active: z.boolean(),
});

/** Why our server rejects an API key, other than the end of a legacy key. */
const invalidApiKeyCodes = [
  'INVALID_API_KEY',
  'SUBSCRIPTION_INACTIVE',
  'API_ACCESS_DISABLED',
] as const satisfies ErrorCode[];

const invalidApiKey = z.object({
  valid: z.literal(false),
  error: z.string(),
  code: openText(invalidApiKeyCodes),
});

/** An ended legacy key. Unlike other invalid keys, it has no `error`. */
const endedLegacyApiKey = z.object({
  valid: z.literal(false),
  code: z.literal('SUBSCRIPTION_EXPIRED'),
  expires_at: timestamp,
});

export const validateApiKeyResponse = z.union([validApiKey, invalidApiKey, endedLegacyApiKey]);
export type ValidateApiKeyResponse = z.infer<typeof validateApiKeyResponse>;
