/** Admin endpoints for features. */
import type { Endpoint } from '../endpoints.ts';
import { owner, viewer } from './access.ts';
import {
  featureList,
  featureRecord,
  removeFeatureRequest,
  removeFeatureResponse,
  setFeatureRequest,
} from './features.ts';
import { nameParams } from './fields.ts';

export const featureEndpoints = {
  featureRecords: {
    summary: 'List features, with their texts in all languages',
    method: 'GET',
    path: '/admin/features',
    ...viewer,
    response: featureList,
    errors: [],
  },
  setFeature: {
    summary: 'Add or change a feature',
    method: 'PUT',
    path: '/admin/features/:name',
    ...owner,
    params: nameParams,
    request: setFeatureRequest,
    response: featureRecord,
    errors: [],
  },
  removeFeature: {
    summary:
      'Remove a feature that was added; with `from_plans` also from the plans that have it, with `dry_run`, what that would change',
    method: 'DELETE',
    path: '/admin/features/:name',
    ...owner,
    params: nameParams,
    request: removeFeatureRequest,
    requestOptional: true,
    response: removeFeatureResponse,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} as const satisfies Record<string, Endpoint>;
