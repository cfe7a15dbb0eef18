/** Table of error codes, with the HTTP status and default message of each. */
import { z } from 'zod';

/**
 * All codes of error responses. The validate endpoints return some with status 200 and `valid: false` instead
 * (`invalidCodes` in the endpoint table).
 */
export const errorTable = defineErrors({
  INVALID_CREDENTIALS: {
    status: 401,
    message: 'The email address or the password is incorrect.',
  },
  USER_NOT_FOUND: {
    status: 404,
    message: 'There is no account with this email address.',
  },
  EMAIL_EXISTS: {
    status: 409,
    message: 'An account with this email address already exists. Sign in instead.',
  },
  SIGN_UP_CLOSED: {
    status: 403,
    message: 'Accounts on this server are by invitation. Ask the person who runs it for one.',
  },
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  TOKEN_EXPIRED: {
    status: 401,
    message: 'The token has expired. Refresh it or sign in again.',
  },
  INVALID_TOKEN: {
    status: 401,
    message: 'The token is not valid. Sign in again.',
  },
  LICENSE_NOT_FOUND: {
    status: 404,
    message: 'There is no license with this key. Check it for typing errors.',
  },
  LICENSE_REVOKED: { status: 403, message: 'This license has been revoked.' },
  LICENSE_EXPIRED: { status: 403, message: 'This license has expired.' },
  LICENSE_INACTIVE: { status: 403, message: 'This license is not active.' },
  MAX_ACTIVATIONS_REACHED: {
    status: 409,
    message: 'The license is already active on its maximum number of devices. Release one first.',
  },
  SUBSCRIPTION_INACTIVE: {
    status: 403,
    message: 'The subscription is not active.',
  },
  SUBSCRIPTION_EXPIRED: {
    status: 403,
    message: 'The access of this legacy API key has ended.',
  },
  INVALID_API_KEY: {
    status: 401,
    message: 'The API key does not exist or is malformed.',
  },
  API_ACCESS_DISABLED: {
    status: 403,
    message: 'API access comes with a subscription whose plan includes it; a license alone does not include it.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'Your role does not include this, or the request did not come from the admin page itself.',
  },
  CONFIRMATION_REQUIRED: {
    status: 403,
    message: 'Confirm this with your password or a passkey first.',
  },
  CONFLICT: {
    status: 409,
    message: 'This is not possible in the present state of the record.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests. Wait as many seconds as the Retry-After header says.',
  },
  NOT_FOUND: { status: 404, message: 'The requested resource does not exist.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'The requested resource does not support this method.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The request body is larger than 64 KiB.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The request body must be JSON, sent as Content-Type: application/json.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is busy or shutting down. Try again shortly.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: 'The file ends before the bytes that were asked for.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'The server failed to handle the request.',
  },
});

export type ErrorCode = keyof typeof errorTable;

/** Keeps the codes in the type, but not each status and message, to keep declarations that contain a code small. */
function defineErrors<Code extends string>(
  table: Readonly<Record<Code, { readonly status: number; readonly message: string }>>,
) {
  return table;
}

export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** Body of every error response. `code` is any string, because another server may have more codes. */
export const errorEnvelope = z.object({ error: z.string(), code: z.string() });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
