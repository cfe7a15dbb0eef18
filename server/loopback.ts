/** Decides which host names and addresses refer to this machine. */
import { isIP } from 'node:net';

/** Returns true if the host is this machine. Also accepts the host of a URL, with its brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
