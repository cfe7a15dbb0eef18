/** Staff passkeys. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, viewer } from './access.ts';
import { idParams, success } from './fields.ts';
import { addPasskeyRequest, passkey, passkeyOptions, passkeys } from './session.ts';

export const passkeyEndpoints = {
  passkeys: {
    summary: 'List your own passkeys',
    method: 'GET',
    path: '/admin/passkeys',
    ...viewer,
    response: passkeys,
    errors: [],
  },
  memberPasskeys: {
    summary: 'List the passkeys of a member of staff',
    method: 'GET',
    path: '/admin/staff/:id/passkeys',
    ...owner,
    params: idParams,
    response: passkeys,
    errors: ['NOT_FOUND'],
  },
  addPasskeyOptions: {
    summary: 'Start adding a passkey',
    method: 'POST',
    path: '/admin/passkeys/options',
    ...viewer,
    confirm,
    response: passkeyOptions,
    errors: [],
  },
  addPasskey: {
    summary: 'Add a passkey',
    method: 'POST',
    path: '/admin/passkeys',
    ...viewer,
    confirm,
    request: addPasskeyRequest,
    response: passkey,
    errors: ['CONFLICT', 'INVALID_CREDENTIALS'],
  },
  removePasskey: {
    summary: 'Remove one of your own passkeys, or, as an owner, one of another member',
    method: 'DELETE',
    path: '/admin/passkeys/:id',
    ...viewer,
    confirm,
    params: idParams,
    response: success,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;
