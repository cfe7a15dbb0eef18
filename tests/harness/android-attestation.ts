/** An attestation of a passkey in the format of Android, whose certificates anybody could have issued. */
import type { KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attestation, bytes, text } from './authenticator.ts';
import { openssl } from './certificate-authority.ts';

type Attested = {
  /** The private key of the passkey. */
  readonly key: KeyObject;
  readonly clientDataHash: Buffer;
  /** Where the certificate says that its revocation list is. */
  readonly revocationList: string;
  /** An empty folder to work in. */
  readonly folder: string;
};

/** Creates the statement, which has no valid signature. */
export function attestAsAndroid({ key, clientDataHash, revocationList, folder }: Attested): Attestation {
  const run = (words: string) => openssl(folder, words.split(' '));
  const challenge = clientDataHash.toString('hex');
  const description = `30340201030a01010201030a01010420${challenge}040030003000`;
  const extensions = `crlDistributionPoints=URI:${revocationList}\n1.3.6.1.4.1.11129.2.1.17=DER:${description}\n`;
  writeFileSync(join(folder, 'leaf.cnf'), extensions);
  writeFileSync(join(folder, 'leaf.key'), key.export({ format: 'pem', type: 'pkcs8' }));
  run('req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=Root -keyout root.key -out root.pem');
  run('req -new -key leaf.key -subj /CN=Leaf -out leaf.csr');
  run('x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 1 -days 1 -extfile leaf.cnf -out leaf.pem');
  const [leaf, root] = ['leaf', 'root'].map((name) => {
    run(`x509 -in ${name}.pem -outform DER -out ${name}.der`);
    return bytes(readFileSync(join(folder, `${name}.der`)));
  });
  const es256 = Buffer.from([0x26]);
  const certificates = Buffer.concat([Buffer.from([0x82]), leaf ?? es256, root ?? es256]);
  const entries = [text('alg'), es256, text('sig'), bytes(Buffer.alloc(70)), text('x5c'), certificates];
  return { format: 'android-key', statement: Buffer.concat([Buffer.from([0xa3]), ...entries]) };
}
