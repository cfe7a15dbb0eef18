/**
 * Calls that the generated types reject. They never run: each must be a compiler error, otherwise the types promise too
 * little.
 */
import type { Client } from 'openapi-fetch';
import type { paths as AdminPaths } from '../../../.cache/generated-client/admin.d.ts';
import type { paths as InterfacePaths } from '../../../.cache/generated-client/interface.d.ts';

export async function callWrongly(client: Client<InterfacePaths>): Promise<void> {
  // @ts-expect-error there is no such path
  await client.POST('/auth/signin', { body: { email: '', password: '' } });
  // @ts-expect-error it has another method
  await client.GET('/auth/login');
  // @ts-expect-error a field is missing
  await client.POST('/auth/login', { body: { email: '' } });
  // @ts-expect-error a field is no text
  await client.POST('/license/validate', { body: { license_key: 5, device_id: '' } });
  // @ts-expect-error the body is missing
  await client.POST('/license/lease');
  // @ts-expect-error the parameter is missing
  await client.DELETE('/license/activations/{activation_id}');
  // @ts-expect-error the parameter has another name
  await client.DELETE('/auth/sessions/{session_id}', { params: { path: { id: '' } } });
}

export async function readWrongly(client: Client<InterfacePaths>): Promise<void> {
  const { data, error } = await client.POST('/license/validate', { body: { license_key: '', device_id: '' } });
  // @ts-expect-error only a valid license has a plan
  data?.plan;
  if (data?.valid) data.plan satisfies string;
  // @ts-expect-error there is no such code
  if (data?.valid === false) data.code === 'LICENSE_LOST';
  // @ts-expect-error there is no such code
  error?.code === 'LICENSE_NOT_FOUND';
  const { data: status } = await client.GET('/subscription/status');
  // @ts-expect-error it may be null
  status?.subscription.status;
  // @ts-expect-error there is no such status
  if (status?.has_subscription) status.subscription.status === 'paused';
}

export async function administerWrongly(client: Client<AdminPaths>): Promise<void> {
  // @ts-expect-error there is no such role
  await client.POST('/admin/staff', { body: { email: '', role: 'admin' } });
  // @ts-expect-error there is no such status
  await client.GET('/admin/licenses', { params: { query: { status: 'lost' } } });
  await client.PUT('/admin/installers/{version}/{platform}', {
    body: '',
    // @ts-expect-error there is no such platform
    params: { header: { 'x-sha256': '' }, path: { version: '', platform: 'bsd' } },
  });
  await client.PUT('/admin/installers/{version}/{platform}', {
    body: '',
    // @ts-expect-error the hash is missing
    params: { path: { version: '', platform: 'linux_amd64' } },
  });
  // @ts-expect-error the interface is another document
  await client.POST('/auth/login', { body: { email: '', password: '' } });
  const { data } = await client.GET('/admin/server');
  // @ts-expect-error there is no such kind
  data?.database.kind === 'mysql';
}
