/** Signs in, confirms and registers with passkeys (WebAuthn). */
import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import type { AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import { fail, type Result, succeed } from '../../../shared/ipc/result.ts';
import { failureNow } from '../../run-command.ts';
import { sendCall } from '../api/admin-calls.ts';
import { callAdmin } from '../api/call-admin.ts';

/**
 * Returns whether passkeys work at this address: browsers require HTTPS or localhost, and a name instead of an IP
 * address.
 */
export function canUsePasskeys({ protocol, hostname } = window.location): boolean {
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSecure && !isIpAddress(hostname) && browserSupportsWebAuthn();
}

/** Returns the URL of this page at `localhost`, where passkeys work; `null` unless it is open at a loopback address. */
export function localhostAddress({ protocol, hostname, port, pathname } = window.location): string | null {
  if (hostname !== '127.0.0.1' && hostname !== '[::1]') return null;
  return `${protocol}//localhost${port === '' ? '' : `:${port}`}${pathname}`;
}

function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}

export async function signInWithPasskey(): Promise<Result<StaffSession>> {
  const offered = await sendCall('staffPasskeyOptions');
  if (!offered.ok) return offered;
  const credential = await authenticate(offered.value.options);
  return credential.ok
    ? sendCall('staffPasskeySignIn', { body: { credential: toMessage(credential.value) } })
    : credential;
}

export async function confirmWithPasskey(): Promise<Result<StaffSession>> {
  const offered = await sendCall('staffConfirmPasskeyOptions');
  if (!offered.ok) return offered;
  const credential = await authenticate(offered.value.options);
  return credential.ok
    ? sendCall('staffConfirmPasskey', { body: { credential: toMessage(credential.value) } })
    : credential;
}

/** Registers a new passkey under the given name. */
export async function addPasskey(name: string): Promise<Result<AdminResponseOf<'addPasskey'>>> {
  const offered = await callAdmin('addPasskeyOptions');
  if (!offered.ok) return offered;
  const optionsJSON = offered.value.options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await runCeremony(() => startRegistration({ optionsJSON }));
  return credential.ok
    ? callAdmin('addPasskey', { body: { name, credential: toMessage(credential.value) } })
    : credential;
}

function authenticate(options: Readonly<Record<string, unknown>>): Promise<Result<AuthenticationResponseJSON>> {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return runCeremony(() => startAuthentication({ optionsJSON }));
}

/** Converts the extension results, because their type lacks the index signature of a message's. */
function toMessage<T extends { readonly clientExtensionResults: object }>(
  credential: T,
): Omit<T, 'clientExtensionResults'> & { clientExtensionResults: Record<string, unknown> } {
  const clientExtensionResults = Object.fromEntries(Object.entries(credential.clientExtensionResults));
  return { ...credential, clientExtensionResults };
}

/**
 * Runs a WebAuthn ceremony. CANCELED if the user closed the browser's dialog or it timed out; PASSKEY_KNOWN if the
 * authenticator already has a passkey.
 */
async function runCeremony<T>(ceremony: () => Promise<T>): Promise<Result<T>> {
  try {
    return succeed(await ceremony());
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    return fail(failureNow(codeOf(name), String(error)));
  }
}

function codeOf(name: string): string {
  if (name === 'NotAllowedError' || name === 'AbortError') return 'CANCELED';
  return name === 'InvalidStateError' ? 'PASSKEY_KNOWN' : 'PASSKEY_FAILED';
}
