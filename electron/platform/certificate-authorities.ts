/** The certificate authorities for connections that Node opens. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

/** Returns those of Node and the system plus `further` ones, as PEM; some systems need a while to list theirs. */
export function listAuthorities(further: readonly string[]): string[] {
  // Node 20, used by older versions of Electron, lists only its own.
  const listed = tls.getCACertificates
    ? [...tls.getCACertificates('default'), ...tls.getCACertificates('system')]
    : tls.rootCertificates;
  // Many systems list a certificate several times.
  return [...new Set([...listed, ...further])];
}

/** Reads the certificate authorities that LATCHKEY_CA_FILE adds. Throws a sentence if the file cannot be used. */
export function readAuthorities(path: string | undefined): readonly string[] {
  if (!path) return [];
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`LATCHKEY_CA_FILE cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error('LATCHKEY_CA_FILE has no certificate in PEM.');
  if (!certificates.every(isCertificate)) throw new Error('LATCHKEY_CA_FILE has a certificate that cannot be read.');
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
