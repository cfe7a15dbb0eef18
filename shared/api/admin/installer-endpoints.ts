/** The published installers. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, viewer } from './access.ts';
import { success } from './fields.ts';
import {
  comparedInstaller,
  maxInstallerBytes,
  publishedInstallers,
  publishInstallersRequest,
  uploadInstallerParams,
} from './installers.ts';

const sentHash = {
  'x-sha256': 'The SHA-256 that the sender has calculated, in hex. A different one is VALIDATION_ERROR.',
} as const;

export const installerEndpoints = {
  installers: {
    summary: 'List published installers',
    method: 'GET',
    path: '/admin/installers',
    ...viewer,
    response: publishedInstallers,
    errors: [],
  },
  publishInstallers: {
    summary: 'Publish the hashes of installers',
    method: 'PUT',
    path: '/admin/installers',
    ...owner,
    confirm,
    request: publishInstallersRequest,
    response: publishedInstallers,
    errors: [],
  },
  uploadInstaller: {
    summary: 'Publish the hash of an uploaded installer; the file itself is not stored',
    method: 'PUT',
    path: '/admin/installers/:version/:platform',
    ...owner,
    confirm,
    params: uploadInstallerParams,
    upload: maxInstallerBytes,
    headers: sentHash,
    response: publishedInstallers,
    errors: [],
  },
  compareInstaller: {
    summary: 'Compare an uploaded installer with the hash that the sender calculated; publishes nothing',
    method: 'POST',
    path: '/admin/installers/compare',
    ...owner,
    upload: maxInstallerBytes,
    headers: sentHash,
    response: comparedInstaller,
    errors: [],
  },
  clearInstallers: {
    summary: 'Withdraw every published installer',
    method: 'DELETE',
    path: '/admin/installers',
    ...owner,
    confirm,
    response: success,
    errors: [],
  },
} as const satisfies Record<string, Endpoint>;
