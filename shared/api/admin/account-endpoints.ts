/** Accounts and what belongs to each: its password, subscription and sessions. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, support, viewer } from './access.ts';
import {
  accountList,
  accountRecord,
  accountsQuery,
  createAccountRequest,
  setPasswordRequest,
  setSubscriptionRequest,
  subscriptionRecord,
} from './accounts.ts';
import { idParams, success } from './fields.ts';

export const accountEndpoints = {
  accounts: {
    summary: 'Accounts',
    method: 'GET',
    path: '/admin/accounts',
    ...viewer,
    query: accountsQuery,
    response: accountList,
    errors: [],
  },
  account: {
    summary: 'An account and what belongs to it',
    method: 'GET',
    path: '/admin/accounts/:id',
    ...viewer,
    params: idParams,
    response: accountRecord,
    errors: ['NOT_FOUND'],
  },
  createAccount: {
    summary: 'Create an account',
    method: 'POST',
    path: '/admin/accounts',
    ...owner,
    request: createAccountRequest,
    response: accountRecord,
    errors: ['EMAIL_EXISTS'],
  },
  deleteAccount: {
    summary: 'Delete an account and all that belongs to it',
    method: 'DELETE',
    path: '/admin/accounts/:id',
    ...owner,
    confirm,
    params: idParams,
    response: success,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  setAccountPassword: {
    summary: 'Set the password of an account and end its sessions; that of staff only as an owner',
    method: 'PUT',
    path: '/admin/accounts/:id/password',
    ...support,
    confirm,
    params: idParams,
    request: setPasswordRequest,
    response: success,
    errors: ['NOT_FOUND'],
  },
  setAccountSubscription: {
    summary: 'Replace the subscription of an account',
    method: 'PUT',
    path: '/admin/accounts/:id/subscription',
    ...support,
    params: idParams,
    request: setSubscriptionRequest,
    response: subscriptionRecord,
    errors: ['NOT_FOUND'],
  },
  endAccountSessions: {
    summary: 'End every session of an account',
    method: 'DELETE',
    path: '/admin/accounts/:id/sessions',
    ...support,
    params: idParams,
    response: success,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;
