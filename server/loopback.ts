/** Tells which host names and addresses are this machine. */
import { isIP } from 'node:net';

/** True for this machine; also accepts the host of a URL, with brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
