/**
 * What passkeys use of the WebAuthn library, in one module, so that a build puts all of it into one chunk: in two, a part
 * of the library runs before the polyfill that it needs.
 */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';

export {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';

/**
 * Returns the response without its attestation statement, which was not requested. To verify one, the library would
 * download the revocation lists of its certificates, from wherever the sender of the request has put into them. Throws
 * for an attestation that cannot be decoded.
 */
export function withoutAttestation(credential: RegistrationResponseJSON): RegistrationResponseJSON {
  const { response } = credential;
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData');
  const attestationObject = isoCBOR.encode(
    new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ]),
  );
  return { ...credential, response: { ...response, attestationObject: isoBase64URL.fromBuffer(attestationObject) } };
}
