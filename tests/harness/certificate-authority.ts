/** A test certificate authority based on OpenSSL, which issues certificates for any name and time. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const settings = `
[ca]
default_ca = test
[test]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
`;

export type Certificate = { readonly key: string; readonly cert: string };

export class CertificateAuthority {
  readonly #folder: string;
  /** Certificate of the authority itself, as PEM. */
  readonly pem: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.pem = readFileSync(join(folder, 'ca.pem'), 'utf8');
  }

  /**
   * Creates an authority. `folder` must be empty and unused; `subject` is the issuer named in its certificates,
   * for example `/O=Lab/CN=Lab CA`.
   */
  static create(folder: string, subject: string): CertificateAuthority {
    writeFileSync(join(folder, 'index.txt'), '');
    writeFileSync(join(folder, 'ca.cnf'), settings);
    const files = ['-keyout', 'ca.key', '-out', 'ca.pem'];
    openssl(folder, ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', subject, ...files]);
    return new CertificateAuthority(folder);
  }

  /** Issues a certificate that is valid for the day before `untilMs`. */
  issue(name: string, untilMs: number): Certificate {
    const extension = `subjectAltName=DNS:${name}`;
    const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-addext', extension];
    openssl(this.#folder, [...request, '-keyout', 'leaf.key', '-out', 'leaf.csr']);
    const dates = ['-startdate', toAsn1Time(untilMs - 86_400_000), '-enddate', toAsn1Time(untilMs)];
    const own = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-batch', '-notext'];
    openssl(this.#folder, ['ca', ...own, ...dates, '-in', 'leaf.csr', '-out', 'leaf.pem']);
    const [key = '', cert = ''] = ['leaf.key', 'leaf.pem'].map((file) =>
      readFileSync(join(this.#folder, file), 'utf8'),
    );
    return { key, cert };
  }
}

/** Runs OpenSSL in a folder. */
export function openssl(cwd: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
}

function toAsn1Time(ms: number): string {
  return `${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}
