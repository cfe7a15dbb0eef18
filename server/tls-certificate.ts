/** Reads the TLS certificate and its key, and reports problems under the names of the settings. */
import { createSecureContext } from 'node:tls';
import { messageOf, StartError } from './errors.ts';
import { readSettingFile, requireNotPublicFile } from './private-file.ts';

/** Paths of the PEM files. */
type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** Returns the options of an HTTPS server. Throws `StartError` if the files are unusable. */
export function readTlsCertificate({ certFile, keyFile }: TlsFiles) {
  const options = {
    cert: readSettingFile('LATCHKEY_TLS_CERT', certFile),
    key: readSettingFile('LATCHKEY_TLS_KEY', keyFile),
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
