/** Tells why there was no connection to the server, from the code of Node, OpenSSL, undici or Chromium. */
export type NetworkProblem = 'name' | 'certificate' | 'proxy' | 'timeout' | 'refused' | 'offline';

/** The first that matches applies: a proxy's code may also name a connection or a certificate. */
const patterns: readonly (readonly [NetworkProblem, RegExp])[] = [
  ['proxy', /PROXY|TUNNEL/],
  ['certificate', /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/],
  ['name', /^(?:ENOTFOUND|EAI_AGAIN|ERR_NAME_\w+)$/],
  ['timeout', /TIME(?:D_?)?OUT/],
  ['refused', /^(?:ECONNREFUSED|ERR_CONNECTION_REFUSED)$/],
  ['offline', /^(?:ENETUNREACH|ENETDOWN|ERR_INTERNET_DISCONNECTED)$/],
];

/** Returns `null` for a code that says nothing that would help. */
export function findNetworkProblem(networkCode: string): NetworkProblem | null {
  return patterns.find(([, pattern]) => pattern.test(networkCode))?.[0] ?? null;
}
