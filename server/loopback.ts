/** Which names and addresses of a host are this machine. */
import { isIP } from 'node:net';

/** Also the host of a URL, with its brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
