/** Messages of the API key endpoints (interface §4 `/metrics/api-key*`). */
import { z } from 'zod';
import { features } from './features.ts';
import { timestamp } from './fields.ts';

/** No body and `{}` generate the first key or retrieve the prefix; `regenerate` replaces the key at once. */
export const apiKeyRequest = z.object({
  regenerate: z.boolean().default(false),
});
export type ApiKeyRequest = z.input<typeof apiKeyRequest>;

const apiKeyFields = {
  is_legacy: z.boolean(),
  plan: z.string(),
  features: features.pick({ api_access: true }),
  created_at: timestamp,
  message: z.string(),
};

/** A new key: the only answer that ever holds it. */
export const newApiKey = z.object({
  api_key: z.string().min(1),
  ...apiKeyFields,
});
export type NewApiKey = z.infer<typeof newApiKey>;

export const existingApiKey = z.object({
  api_key_prefix: z.string().min(1),
  ...apiKeyFields,
});
export type ExistingApiKey = z.infer<typeof existingApiKey>;

export const apiKeyResponse = z.union([newApiKey, existingApiKey]);
export type ApiKeyResponse = z.infer<typeof apiKeyResponse>;

/** The key comes in the body or in the header `x-api-key`; one of them is required. */
export const validateApiKeyRequest = z.object({
  api_key: z.string().optional(),
});
export type ValidateApiKeyRequest = z.infer<typeof validateApiKeyRequest>;

export const validApiKey = z.object({
  valid: z.literal(true),
  plan: z.string(),
  source: z.string(),
  features: features.pick({ api_access: true, csv_export: true }),
  subscription_active: z.boolean(),
});
export type ValidApiKey = z.infer<typeof validApiKey>;

export const invalidApiKey = z.object({
  valid: z.literal(false),
  error: z.string(),
  code: z.string(),
});
export type InvalidApiKey = z.infer<typeof invalidApiKey>;

/** Legacy access has ended: this answer has no `error` (interface §4). */
export const endedLegacyApiKey = z.object({
  valid: z.literal(false),
  code: z.literal('SUBSCRIPTION_EXPIRED'),
  expires_at: timestamp,
});
export type EndedLegacyApiKey = z.infer<typeof endedLegacyApiKey>;

export const validateApiKeyResponse = z.union([validApiKey, invalidApiKey, endedLegacyApiKey]);
export type ValidateApiKeyResponse = z.infer<typeof validateApiKeyResponse>;
