/**
 * The web globals that every JavaScript runtime has and that the licensing client uses. Declared here, because neither
 * the DOM's nor Node's declarations may compile in this folder.
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { new (): AbortController };

interface TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare var TextEncoder: { new (): TextEncoder };

interface TextDecoder {
  decode(bytes: Uint8Array, options: { stream: boolean }): string;
}
declare var TextDecoder: { new (encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): TextDecoder };

interface URL {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
}
declare var URL: {
  /** Throws if the text is not an absolute URL. */
  new (text: string): URL;
  canParse(text: string): boolean;
};

/** An imported key, treated as opaque. */
interface CryptoKey {
  readonly type: string;
}

/** Web Crypto. */
declare var crypto: {
  readonly subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
    importKey(
      format: 'jwk',
      key: { kty: string; crv: string; x: string },
      algorithm: 'Ed25519',
      extractable: boolean,
      usages: ['verify'],
    ): Promise<CryptoKey>;
    verify(
      algorithm: 'Ed25519',
      key: CryptoKey,
      signature: Uint8Array<ArrayBuffer>,
      data: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>;
  };
};
