/** Invitation links, which lead to the page where the first password of an account is chosen. */

/** Formats the link. Browsers do not send what follows #, so the token appears in no server log. */
export function formatInvitationLink(siteUrl: string, token: string): string {
  return `${siteUrl}/invitation#token=${token}`;
}

/** Returns the token of an invitation link; `undefined` for any other text. */
export function readInvitationToken(link: string): string | undefined {
  return /\/invitation#token=([\w-]+)$/.exec(link.trim())?.[1];
}
