/** Admin endpoints for the update feed. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, viewer } from './access.ts';
import { rolloutRequest, updateFeedResponse, updateVersionParams } from './updates.ts';

export const updateEndpoints = {
  updateFeed: {
    summary: 'List the versions in the update feed, newest first',
    method: 'GET',
    path: '/admin/updates',
    ...viewer,
    response: updateFeedResponse,
    errors: [],
  },
  rolloutUpdate: {
    summary: 'Set the percentage of devices that are offered a version',
    method: 'PUT',
    path: '/admin/updates/:version/rollout',
    ...owner,
    confirm,
    params: updateVersionParams,
    request: rolloutRequest,
    response: updateFeedResponse,
    errors: ['NOT_FOUND'],
  },
  withdrawUpdate: {
    summary: 'Withdraw a version from the update feed, so that the previous one is offered again',
    method: 'DELETE',
    path: '/admin/updates/:version',
    ...owner,
    confirm,
    params: updateVersionParams,
    response: updateFeedResponse,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;
