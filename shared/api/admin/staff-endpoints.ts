/** Staff members, and the one-time links for their first sign-in. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, viewer } from './access.ts';
import { idParams, success } from './fields.ts';
import { redeemWelcomeRequest, staffSession, welcome, welcomeRequest } from './session.ts';
import { addedStaff, addStaffRequest, setStaffRoleRequest, staffLink, staffList, staffMember } from './staff.ts';

export const staffEndpoints = {
  welcome: {
    summary: 'Get what a one-time link is for',
    method: 'POST',
    path: '/admin/welcome/check',
    auth: 'none',
    rate: 'default',
    request: welcomeRequest,
    response: welcome,
    errors: ['INVALID_TOKEN', 'FORBIDDEN'],
  },
  redeemWelcome: {
    summary: 'Use a one-time link: choose a password and sign in',
    method: 'POST',
    path: '/admin/welcome',
    auth: 'none',
    rate: 'default',
    request: redeemWelcomeRequest,
    response: staffSession,
    errors: ['INVALID_TOKEN', 'INVALID_CREDENTIALS', 'FORBIDDEN'],
  },
  staff: {
    summary: 'List the members of staff',
    method: 'GET',
    path: '/admin/staff',
    ...viewer,
    response: staffList,
    errors: [],
  },
  addStaff: {
    summary: 'Make an account a member of staff',
    method: 'POST',
    path: '/admin/staff',
    ...owner,
    confirm,
    request: addStaffRequest,
    response: addedStaff,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  setStaffRole: {
    summary: 'Change the role of a member of staff',
    method: 'PUT',
    path: '/admin/staff/:id',
    ...owner,
    confirm,
    params: idParams,
    request: setStaffRoleRequest,
    response: staffMember,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  removeStaff: {
    summary: 'Remove a member of staff; the account stays',
    method: 'DELETE',
    path: '/admin/staff/:id',
    ...owner,
    confirm,
    params: idParams,
    response: success,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  createStaffLink: {
    summary: 'Create a one-time link with which a member of staff chooses a new password',
    method: 'POST',
    path: '/admin/staff/:id/link',
    ...owner,
    confirm,
    params: idParams,
    response: staffLink,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;
