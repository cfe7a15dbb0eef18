/** Messages of the API key endpoints, `/metrics/api-key` and `/metrics/api-key/validate`. */
import { z } from 'zod';
import { features } from './features.ts';
import { timestamp } from './fields.ts';

/** Generates the first key or retrieves the prefix of the existing one; with `regenerate`, replaces the key. */
export const apiKeyRequest = z.object({
  regenerate: z.boolean().default(false),
});

const apiKeyFields = {
  is_legacy: z.boolean(),
  plan: z.string(),
  features: features.pick({ api_access: true }),
  created_at: timestamp,
  message: z.string(),
};

/** A new key. No later response contains it again. */
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

/** The key comes in the body or in the header `x-api-key`; one of them is required. */
export const validateApiKeyRequest = z.object({
  api_key: z.string().optional(),
});

const validApiKey = z.object({
  valid: z.literal(true),
  plan: z.string(),
  source: z.string(),
  features: features.pick({ api_access: true, csv_export: true }),
  subscription_active: z.boolean(),
});

const invalidApiKey = z.object({
  valid: z.literal(false),
  error: z.string(),
  code: z.string(),
});

/** The access of a legacy key has ended. Unlike other invalid keys, this one has no `error`. */
const endedLegacyApiKey = z.object({
  valid: z.literal(false),
  code: z.literal('SUBSCRIPTION_EXPIRED'),
  expires_at: timestamp,
});

export const validateApiKeyResponse = z.union([validApiKey, invalidApiKey, endedLegacyApiKey]);
export type ValidateApiKeyResponse = z.infer<typeof validateApiKeyResponse>;
