/** Signs leases as a server does, for tests of the client. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { type LeaseClaims, type LeaseJwk, leaseJwk } from '../../../shared/lease.ts';

type About = Pick<LeaseClaims, 'sub' | 'device_id' | 'license' | 'plan' | 'features'>;

export class LeaseSigner {
  readonly #keys = generateKeyPairSync('ed25519');
  readonly jwk: LeaseJwk;
  ttlSeconds: number;

  constructor(kid = 'lease-1', ttlSeconds = 14 * 86_400) {
    this.ttlSeconds = ttlSeconds;
    this.jwk = leaseJwk.parse({ ...this.#keys.publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' });
  }

  get jwks() {
    return { keys: [this.jwk] };
  }

  /** The response of `/license/lease` at the given server time. */
  sign(about: About, nowMs: number) {
    const iat = Math.floor(nowMs / 1000);
    const exp = iat + this.ttlSeconds;
    const times = { iat, renew_after: iat + Math.floor(this.ttlSeconds / 2), exp };
    const claims: LeaseClaims = {
      iss: 'license-service',
      aud: 'license-lease',
      jti: randomUUID(),
      ...times,
      ...about,
    };
    const lease = this.signClaims(claims);
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    return { lease, renew_after: at(times.renew_after), expires_at: at(exp) };
  }

  signClaims(claims: object): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = `${encode({ alg: 'EdDSA', typ: 'lease+jwt', kid: this.jwk.kid })}.${encode(claims)}`;
    return `${signed}.${sign(null, Buffer.from(signed), this.#keys.privateKey).toString('base64url')}`;
  }
}
