/**
 * Table of all endpoints: the source of routes, client calls, the OpenAPI document and parts of shared/api/README.md.
 */
import { z } from 'zod';
import { aboutResponse } from './about.ts';
import { accountExport } from './account-export.ts';
import {
  apiKeyRequest,
  apiKeyResponse,
  apiKeyStatusResponse,
  reportApiKeyRequest,
  reportApiKeyResponse,
  validateApiKeyRequest,
  validateApiKeyResponse,
} from './api-key.ts';
import {
  accountSession,
  accountSignOutRequest,
  changeEmailRequest,
  changePasswordRequest,
  confirmEmailRequest,
  confirmEmailResponse,
  deleteAccountRequest,
  emailStatusResponse,
  forgotPasswordRequest,
  loginRequest,
  logoutRequest,
  logoutResponse,
  refreshedTokens,
  refreshRequest,
  resetPasswordRequest,
  sessionsResponse,
  signupRequest,
  successResponse,
  tokenSet,
} from './auth.ts';
import { checkoutTokenResponse } from './billing.ts';
import type { ErrorCode } from './errors.ts';
import { featuresResponse } from './features.ts';
import { heartbeatRequest, heartbeatResponse } from './heartbeat.ts';
import { installerByHashResponse, installerHashesMissing, installerHashesResponse } from './installer.ts';
import { leaseRequest, leaseResponse } from './lease.ts';
import {
  activateLicenseRequest,
  activateLicenseResponse,
  activationsResponse,
  invalidLicenseCodes,
  releaseResponse,
  replaceKeyRequest,
  replaceKeyResponse,
  validateLicenseRequest,
  validateLicenseResponse,
} from './license.ts';
import type { StaffRole } from './staff-role.ts';
import { subscriptionStatusResponse } from './subscription.ts';

/** Prefix of every path in the table. */
export const apiRoot = '/api/v1';

/** Rate limit shared by several endpoints (shared/api/README.md, "Rate limits"). */
export type RateBucket = 'login' | 'signup' | 'license' | 'key_validate' | 'default';

/** `admin`: one limit per staff member, not configurable. */
export type EndpointBucket = RateBucket | 'admin';

export type Endpoint = {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to `apiRoot`, with parameters as `:name`. */
  readonly path: string;
  /** The path is relative to the address of the server instead. */
  readonly outsideApi?: true;
  /**
   * `staff`: session cookie of a staff member, only in `admin-endpoints.ts`. `signature`: the sender has signed the
   * body, only in `integration-endpoints.ts`; requests with a valid signature are not limited.
   */
  readonly auth: 'none' | 'bearer' | 'staff' | 'signature';
  /** With `staff`: minimum role that may use the endpoint. */
  readonly role?: StaffRole;
  /** With `staff`: the member must have entered a password or passkey within the last five minutes. */
  readonly confirm?: true;
  /** `default` counts each endpoint separately; other buckets count theirs together. */
  readonly rate: EndpointBucket;
  /** Path parameters, if any. */
  readonly params?: z.ZodObject;
  /** Query, if the endpoint reads one. */
  readonly query?: z.ZodObject;
  /** Maximum size in bytes of a file sent as `application/octet-stream` instead of JSON. */
  readonly upload?: number;
  /** JSON body, if the endpoint takes one. */
  readonly request?: z.ZodType;
  /** Maximum size in bytes of the JSON body, if it is not that of every other endpoint. */
  readonly bodyLimit?: number;
  /** Whether the body may be omitted. */
  readonly requestOptional?: boolean;
  /** Endpoint-specific request headers and their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a response with status 200. */
  readonly response: z.ZodType;
  /** Bodies of other statuses that differ from `{error, code}`. */
  readonly otherResponses?: Readonly<Record<number, z.ZodType>>;
  /** Its own error codes; `errorCodesOf` adds those of authentication, body and rate limit. */
  readonly errors: readonly ErrorCode[];
  /** Codes of responses with status 200 and `valid: false`. */
  readonly invalidCodes?: readonly ErrorCode[];
  /** Sets the session cookie of the account page; accepted only from a page of this server. */
  readonly setsCookie?: true;
  /** Exists only on a server with an account page; NOT_FOUND on any other. */
  readonly needsAccountPage?: true;
  /** Not part of the base interface: another server may lack it and respond 404. */
  readonly extension?: true;
  /**
   * Exists only on a server that can send mail; NOT_FOUND on any other. It is not listed in `errors`, because clients
   * treat it like the 404 of a server without the endpoint.
   */
  readonly needsMail?: true;
};

export const endpoints = {
  login: {
    summary: 'Sign in with email and password',
    method: 'POST',
    path: '/auth/login',
    auth: 'none',
    rate: 'login',
    request: loginRequest,
    response: tokenSet,
    errors: ['INVALID_CREDENTIALS', 'USER_NOT_FOUND'],
  },
  signup: {
    summary: 'Create an account and sign in',
    method: 'POST',
    path: '/auth/signup',
    auth: 'none',
    rate: 'signup',
    request: signupRequest,
    response: tokenSet,
    errors: ['EMAIL_EXISTS', 'SIGN_UP_CLOSED', 'VALIDATION_ERROR'],
  },
  refresh: {
    summary: 'Exchange a refresh token for a new access and refresh token',
    method: 'POST',
    path: '/auth/refresh',
    auth: 'none',
    rate: 'default',
    headers: {
      'idempotency-key':
        'Repeating a refresh with the same token and key returns the same new token, as long as that one is unused.',
    },
    request: refreshRequest,
    response: refreshedTokens,
    errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
  },
  logout: {
    summary: 'End the session of a refresh token, or every session of its account',
    method: 'POST',
    path: '/auth/logout',
    auth: 'none',
    rate: 'default',
    request: logoutRequest,
    response: logoutResponse,
    errors: ['INVALID_TOKEN'],
    extension: true,
  },
  changePassword: {
    summary: 'Change the password of the signed-in account',
    method: 'POST',
    path: '/auth/password',
    auth: 'bearer',
    // Same limit as for password attempts at sign-in.
    rate: 'login',
    request: changePasswordRequest,
    response: successResponse,
    errors: ['INVALID_CREDENTIALS'],
    extension: true,
  },
  forgotPassword: {
    summary: 'Mail a link with which a new password can be set, if there is such an account',
    method: 'POST',
    path: '/auth/password/forgot',
    auth: 'none',
    rate: 'default',
    headers: { 'accept-language': 'The language of the mail: English, German or Japanese.' },
    request: forgotPasswordRequest,
    response: successResponse,
    errors: [],
    needsMail: true,
    extension: true,
  },
  resetPassword: {
    summary: 'Set a password with the token from a reset or invitation link',
    method: 'POST',
    path: '/auth/password/reset',
    auth: 'none',
    rate: 'default',
    request: resetPasswordRequest,
    response: successResponse,
    errors: ['INVALID_TOKEN'],
    extension: true,
  },
  sessions: {
    summary: 'List the sessions of the signed-in account',
    method: 'GET',
    path: '/auth/sessions',
    auth: 'bearer',
    rate: 'default',
    response: sessionsResponse,
    errors: [],
    extension: true,
  },
  endSession: {
    summary: 'End a session of the signed-in account',
    method: 'DELETE',
    path: '/auth/sessions/:session_id',
    auth: 'bearer',
    rate: 'default',
    params: z.object({ session_id: z.string() }),
    response: successResponse,
    errors: ['NOT_FOUND'],
    extension: true,
  },
  emailStatus: {
    summary: 'Get the email address of the signed-in account, and whether it is confirmed',
    method: 'GET',
    path: '/auth/email',
    auth: 'bearer',
    rate: 'default',
    response: emailStatusResponse,
    errors: [],
    needsMail: true,
    extension: true,
  },
  changeEmail: {
    summary: 'Mail a link to a new email address; the account’s address changes once it is confirmed',
    method: 'POST',
    path: '/auth/email',
    auth: 'bearer',
    // Same limit as for password attempts at sign-in.
    rate: 'login',
    request: changeEmailRequest,
    response: successResponse,
    errors: ['INVALID_CREDENTIALS', 'EMAIL_EXISTS'],
    needsMail: true,
    extension: true,
  },
  sendEmailConfirmation: {
    summary: 'Mail the confirmation link for the signed-in account’s email address again',
    method: 'POST',
    path: '/auth/email/send-confirmation',
    auth: 'bearer',
    rate: 'default',
    response: successResponse,
    errors: [],
    needsMail: true,
    extension: true,
  },
  confirmEmail: {
    summary: 'Confirm an email address with the token from a mailed link',
    method: 'POST',
    path: '/auth/email/confirm',
    auth: 'none',
    rate: 'default',
    request: confirmEmailRequest,
    response: confirmEmailResponse,
    errors: ['INVALID_TOKEN', 'EMAIL_EXISTS'],
    needsMail: true,
    extension: true,
  },
  deleteOwnAccount: {
    summary: 'Delete the signed-in account and everything that belongs to it',
    method: 'POST',
    path: '/auth/account/delete',
    auth: 'bearer',
    // Same limit as for password attempts at sign-in.
    rate: 'login',
    request: deleteAccountRequest,
    response: successResponse,
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    extension: true,
  },
  exportAccount: {
    summary: 'Export everything that is stored about the signed-in account, without secrets',
    method: 'GET',
    path: '/auth/account/export',
    auth: 'bearer',
    // Same limit as for sign-ins: it takes as long, and adds an entry to the audit log.
    rate: 'login',
    response: accountExport,
    errors: [],
    extension: true,
  },
  accountSignIn: {
    summary: 'Sign in to the account page with email and password; the session is a cookie',
    method: 'POST',
    path: '/account/session',
    auth: 'none',
    rate: 'login',
    request: loginRequest,
    response: accountSession,
    errors: ['INVALID_CREDENTIALS', 'USER_NOT_FOUND', 'FORBIDDEN'],
    setsCookie: true,
    needsAccountPage: true,
    extension: true,
  },
  accountSession: {
    summary: 'Get the signed-in user',
    method: 'GET',
    path: '/account/session',
    auth: 'bearer',
    rate: 'default',
    response: accountSession,
    errors: [],
    needsAccountPage: true,
    extension: true,
  },
  accountSignOut: {
    summary: 'End the session of this request, or every session of its account',
    method: 'POST',
    path: '/account/session/end',
    auth: 'bearer',
    rate: 'default',
    request: accountSignOutRequest,
    response: successResponse,
    errors: [],
    setsCookie: true,
    needsAccountPage: true,
    extension: true,
  },
  subscriptionStatus: {
    summary: 'Get the subscription, license and features of the signed-in account',
    method: 'GET',
    path: '/subscription/status',
    auth: 'bearer',
    rate: 'default',
    response: subscriptionStatusResponse,
    errors: [],
  },
  validateLicense: {
    summary: 'Check whether a license key is valid for a device',
    method: 'POST',
    path: '/license/validate',
    auth: 'bearer',
    rate: 'license',
    request: validateLicenseRequest,
    response: validateLicenseResponse,
    errors: [],
    invalidCodes: invalidLicenseCodes,
  },
  activateLicense: {
    summary: 'Activate a license on a device',
    method: 'POST',
    path: '/license/activate',
    auth: 'bearer',
    rate: 'license',
    request: activateLicenseRequest,
    response: activateLicenseResponse,
    errors: ['LICENSE_NOT_FOUND', 'LICENSE_INACTIVE', 'MAX_ACTIVATIONS_REACHED', 'NOT_FOUND'],
  },
  listActivations: {
    summary: 'List the devices on which the licenses of the account are activated',
    method: 'GET',
    path: '/license/activations',
    auth: 'bearer',
    rate: 'license',
    response: activationsResponse,
    errors: [],
    extension: true,
  },
  releaseActivation: {
    summary: 'Release a device, so that another one can be activated',
    method: 'DELETE',
    path: '/license/activations/:activation_id',
    auth: 'bearer',
    rate: 'license',
    params: z.object({ activation_id: z.string() }),
    response: releaseResponse,
    errors: ['NOT_FOUND'],
    extension: true,
  },
  replaceLicenseKey: {
    summary:
      'Give a license of the account a new key; the old one is LICENSE_NOT_FOUND at once, and devices stay active',
    method: 'POST',
    path: '/license/replace-key',
    auth: 'bearer',
    // Same limit as for password attempts at sign-in.
    rate: 'login',
    headers: {
      'accept-language': 'The language of the mail that tells the owner: English, German or Japanese.',
      'idempotency-key':
        'Repeating a request with the same key and license within 10 minutes returns the same license key again.',
    },
    request: replaceKeyRequest,
    response: replaceKeyResponse,
    errors: ['INVALID_CREDENTIALS', 'LICENSE_NOT_FOUND', 'LICENSE_INACTIVE'],
    extension: true,
  },
  lease: {
    summary: 'Get a signed lease for a device, with which it works offline',
    method: 'POST',
    path: '/license/lease',
    auth: 'bearer',
    rate: 'license',
    request: leaseRequest,
    response: leaseResponse,
    errors: ['LICENSE_INACTIVE'],
    extension: true,
  },
  apiKey: {
    summary: 'Generate the API key of the account, or retrieve its prefix',
    method: 'POST',
    path: '/metrics/api-key',
    auth: 'bearer',
    rate: 'default',
    headers: {
      'idempotency-key':
        'Repeating a request with the same key and body within 10 minutes returns the new API key again, as long as it is the current one.',
    },
    request: apiKeyRequest,
    requestOptional: true,
    response: apiKeyResponse,
    errors: ['SUBSCRIPTION_INACTIVE', 'API_ACCESS_DISABLED'],
  },
  validateApiKey: {
    summary: 'Check whether an API key is valid',
    method: 'POST',
    path: '/metrics/api-key/validate',
    auth: 'none',
    rate: 'key_validate',
    headers: {
      'x-api-key': 'The key, instead of the field in the body. Two different keys are an error.',
    },
    request: validateApiKeyRequest,
    requestOptional: true,
    response: validateApiKeyResponse,
    errors: [],
    invalidCodes: ['INVALID_API_KEY', 'SUBSCRIPTION_INACTIVE', 'SUBSCRIPTION_EXPIRED', 'API_ACCESS_DISABLED'],
  },
  apiKeyStatus: {
    summary: 'Get whether the account’s API key was revoked or reported as leaked; generates none',
    method: 'GET',
    path: '/metrics/api-key/status',
    auth: 'bearer',
    rate: 'default',
    response: apiKeyStatusResponse,
    errors: [],
    extension: true,
  },
  reportApiKey: {
    summary: 'Report an API key that has leaked; it is revoked at once',
    method: 'POST',
    path: '/metrics/api-key/report',
    auth: 'none',
    rate: 'default',
    request: reportApiKeyRequest,
    response: reportApiKeyResponse,
    errors: [],
    extension: true,
  },
  heartbeat: {
    summary: 'Report that a device is in use',
    method: 'POST',
    path: '/heartbeat',
    auth: 'bearer',
    rate: 'default',
    headers: { 'accept-language': 'The language of the warning: English, German or Japanese.' },
    request: heartbeatRequest,
    response: heartbeatResponse,
    errors: [],
  },
  installerHashes: {
    summary: 'Get the published SHA-256 hashes of the installers',
    method: 'GET',
    path: '/binary-hash',
    auth: 'none',
    rate: 'default',
    response: installerHashesResponse,
    otherResponses: { 404: installerHashesMissing },
    errors: [],
  },
  about: {
    summary: 'Get what the server offers: sign-up, minimum password length, mail, leases, the account page',
    method: 'GET',
    path: '/about',
    auth: 'none',
    rate: 'default',
    response: aboutResponse,
    errors: [],
    extension: true,
  },
  features: {
    summary: 'List features, with their texts in the language of the request',
    method: 'GET',
    path: '/features',
    auth: 'none',
    rate: 'default',
    headers: {
      'Accept-Language': 'The language of the texts (RFC 9110, section 12.5.4). Without one they are in English.',
    },
    response: featuresResponse,
    errors: [],
    extension: true,
  },
  checkoutToken: {
    summary: 'Create a token for the custom data of a checkout, so that the payment is credited to this account',
    method: 'GET',
    path: '/billing/checkout-token',
    auth: 'bearer',
    rate: 'default',
    response: checkoutTokenResponse,
    errors: [],
    extension: true,
  },
  installerByHash: {
    summary: 'Find the installer with this SHA-256, also among earlier versions',
    method: 'GET',
    path: '/binary-hash/:sha256',
    auth: 'none',
    rate: 'default',
    params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters') }),
    response: installerByHashResponse,
    errors: ['VALIDATION_ERROR'],
    extension: true,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

type Table = typeof endpoints;

/** Request body as a client passes it; `undefined` if the endpoint takes none. */
export type RequestOf<N extends EndpointName> = Table[N] extends {
  request: infer R extends z.ZodType;
}
  ? z.input<R>
  : undefined;

/** Body of a response with status 200. */
export type ResponseOf<N extends EndpointName> = z.output<Table[N]['response']>;

/** Returns the path of an endpoint at the address of the server. */
export function fullPathOf({ path, outsideApi }: Pick<Endpoint, 'path' | 'outsideApi'>): string {
  return outsideApi ? path : apiRoot + path;
}

/** Returns every error code of an endpoint, including those of authentication, body and rate limit. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors);
  if (endpoint.auth === 'bearer') codes.add('INVALID_TOKEN').add('TOKEN_EXPIRED');
  // A cross-site request with the account page's cookie.
  if (endpoint.auth === 'bearer' && endpoint.method !== 'GET') codes.add('FORBIDDEN');
  if (endpoint.needsAccountPage) codes.add('NOT_FOUND');
  if (endpoint.auth === 'staff') codes.add('INVALID_TOKEN').add('FORBIDDEN');
  // It exists only on a server with the setting for it.
  if (endpoint.auth === 'signature') codes.add('INVALID_TOKEN').add('NOT_FOUND');
  if (endpoint.confirm) codes.add('CONFIRMATION_REQUIRED');
  if (endpoint.query) codes.add('VALIDATION_ERROR');
  if (endpoint.params) codes.add('VALIDATION_ERROR').add('NOT_FOUND');
  if (endpoint.needsMail) codes.add('NOT_FOUND');
  // A body is parsed even where none is needed, and must be JSON there too.
  if (endpoint.method !== 'GET') codes.add('VALIDATION_ERROR').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  return [...codes.add('RATE_LIMITED').add('SERVICE_UNAVAILABLE').add('INTERNAL_ERROR')];
}
