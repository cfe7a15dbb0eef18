/** The link of an invitation: the page on which somebody chooses the first password of an account. */

/** Browsers do not send what follows #, so the token gets into no log of a server. */
export function formatInvitationLink(siteUrl: string, token: string): string {
  return `${siteUrl}/invitation#token=${token}`;
}

/** The token in such a link; `undefined` for what is none. */
export function readInvitationToken(link: string): string | undefined {
  return /\/invitation#token=([\w-]+)$/.exec(link.trim())?.[1];
}
