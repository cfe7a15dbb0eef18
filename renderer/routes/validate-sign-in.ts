/** Checks the sign-in fields before they are sent; the server validates the rest. */

export type SignInFields = { readonly email: string; readonly password: string; readonly fullName: string };
type SignInFieldError = 'emailMissing' | 'emailShape' | 'passwordMissing' | 'passwordShort';
export type FieldErrors = Readonly<Partial<Record<keyof SignInFields, SignInFieldError>>>;

const minPasswordLength = 8;

/** The error of each invalid field, in the order of the fields. */
export function findFieldErrors(fields: SignInFields, mode: 'sign-in' | 'sign-up'): FieldErrors {
  const email = emailError(fields.email.trim());
  const password = passwordError(fields.password, mode);
  return { ...(email && { email }), ...(password && { password }) };
}

function emailError(email: string): SignInFieldError | null {
  if (email === '') return 'emailMissing';
  return /^\S+@\S+$/.test(email) ? null : 'emailShape';
}

/** Sign-in accepts any password, because another server may have other rules. */
function passwordError(password: string, mode: 'sign-in' | 'sign-up'): SignInFieldError | null {
  if (password === '') return 'passwordMissing';
  return mode === 'sign-up' && [...password].length < minPasswordLength ? 'passwordShort' : null;
}
