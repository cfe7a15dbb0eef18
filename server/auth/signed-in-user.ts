/** The user who sent a request, and the session that its token belongs to. */
export type SignedInUser = { readonly id: string; readonly sessionId: string };
