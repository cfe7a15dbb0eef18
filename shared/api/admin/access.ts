/** Who may call an endpoint of the admin page. */
export const viewer = { auth: 'staff', role: 'viewer', rate: 'admin' } as const;
export const support = { auth: 'staff', role: 'support', rate: 'admin' } as const;
export const owner = { auth: 'staff', role: 'owner', rate: 'admin' } as const;

/** For what cannot be undone, gives somebody access, or says which programs are genuine. */
export const confirm = true;
