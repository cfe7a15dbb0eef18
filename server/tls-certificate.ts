/** Reads the TLS certificate and its key, and reports problems under the names of the settings. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { describeUnreadable, messageOf, StartError } from './errors.ts';
import { requireNotPublicFile } from './private-file.ts';

/** Paths of the PEM files. */
type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** Returns the options of an HTTPS server. Throws `StartError` if the files are unusable. */
export function readTlsCertificate({ certFile, keyFile }: TlsFiles) {
  const options = {
    cert: readPemFile('LATCHKEY_TLS_CERT', certFile),
    key: readPemFile('LATCHKEY_TLS_KEY', keyFile),
    minVersion: 'TLSv1.2' as const,
  };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = messageOf(error);
    const message = `LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY are wrong: they must be a certificate and its key, both PEM (${reason})`;
    throw new StartError(message, { cause: error });
  }
  requireNotPublicFile(keyFile);
  return options;
}

function readPemFile(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartError(`${setting} is wrong: ${describeUnreadable(path, error)}`, { cause: error });
  }
}
