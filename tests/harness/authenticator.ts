/** A software authenticator (WebAuthn, ES256) that creates passkeys and signs with them as a browser reports it. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

type Options = Readonly<Record<string, unknown>>;

export type AuthenticatorSettings = {
  /** Origin of the requesting page, as the browser reports it. */
  readonly origin: string;
  /** True if the user was verified, by a fingerprint or PIN. */
  readonly isVerified?: boolean;
  /** Length of the ids of its passkeys, in bytes. */
  readonly idBytes?: number;
};

/** Format and CBOR of an attestation statement. */
export type Attestation = { readonly format: string; readonly statement: Buffer };
/** Creates a statement about the passkey with this private key. */
type Attest = (key: KeyObject, clientDataHash: Buffer) => Attestation;

const [present, verified, attested] = [0x01, 0x04, 0x40];
const attestNothing: Attest = () => ({ format: 'none', statement: Buffer.from([0xa0]) });

export class Authenticator {
  #settings: AuthenticatorSettings;
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  readonly id: string;
  #counter = 0;

  constructor(settings: AuthenticatorSettings) {
    this.#settings = settings;
    this.id = randomBytes(settings.idBytes ?? 32).toString('base64url');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    this.#publicKey = encodePublicKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'));
  }

  /** Uses the same authenticator on another page from now on. */
  onPage(origin: string): this {
    this.#settings = { ...this.#settings, origin };
    return this;
  }

  /** Resets the counter, as a copy of the authenticator would have it. */
  resetCounter(): void {
    this.#counter = 0;
  }

  /** Returns what `startRegistration` would return. */
  register({ challenge, rp }: Options, attest = attestNothing) {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#publicKey]);
    const authData = Buffer.concat([this.#authData((rp as { id: string }).id, attested), credential]);
    const clientData = this.#clientData('webauthn.create', challenge);
    const { format, statement } = attest(this.#key, createHash('sha256').update(clientData).digest());
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text(format),
      text('attStmt'),
      statement,
      text('authData'),
      bytes(authData),
    ]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns what `startAuthentication` would return. */
  authenticate({ challenge, rpId }: Options) {
    this.#counter += 1;
    const authData = this.#authData(String(rpId), 0);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#key).toString('base64url'),
    });
  }

  #credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: unknown): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#settings.origin, crossOrigin: false }));
  }

  #authData(rpId: string, flags: number): Buffer {
    const { isVerified = true } = this.#settings;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const flagByte = Buffer.from([present | (isVerified ? verified : 0) | flags]);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), flagByte, counter]);
  }
}

/** Encodes a short text in CBOR. */
export function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** Encodes bytes in CBOR. */
export function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 0xff]), value]);
}

/** Encodes an EC2 key for ES256 on P-256 in COSE (RFC 9053, section 7.1.1). */
function encodePublicKey(x: Buffer, y: Buffer): Buffer {
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
  return Buffer.concat([head, x, Buffer.from([0x22, 0x58, 0x20]), y]);
}
