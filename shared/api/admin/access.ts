/** Access levels for admin endpoints. */
export const viewer = { auth: 'staff', role: 'viewer', rate: 'admin' } as const;
export const support = { auth: 'staff', role: 'support', rate: 'admin' } as const;
export const owner = { auth: 'staff', role: 'owner', rate: 'admin' } as const;

/** For actions that cannot be undone, grant someone access, or declare which programs are genuine. */
export const confirm = true;
