/** What is plainly wrong with an entry before it is sent; the server judges the rest. */

export type SignInEntry = { readonly email: string; readonly password: string; readonly fullName: string };
export type SignInSlip = 'emailMissing' | 'emailShape' | 'passwordMissing' | 'passwordShort';

const shortestPassword = 8;

/** The slip of each field that has one, in the order of the fields. */
export function slipsIn(
  entry: SignInEntry,
  mode: 'sign-in' | 'sign-up',
): Readonly<Partial<Record<keyof SignInEntry, SignInSlip>>> {
  const email = emailSlip(entry.email.trim());
  const password = passwordSlip(entry.password, mode);
  return { ...(email && { email }), ...(password && { password }) };
}

function emailSlip(email: string): SignInSlip | null {
  if (email === '') return 'emailMissing';
  return /^\S+@\S+$/.test(email) ? null : 'emailShape';
}

/** A sign-in takes any password: another server may have had other rules. */
function passwordSlip(password: string, mode: 'sign-in' | 'sign-up'): SignInSlip | null {
  if (password === '') return 'passwordMissing';
  return mode === 'sign-up' && [...password].length < shortestPassword ? 'passwordShort' : null;
}
