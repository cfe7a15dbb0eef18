/** Signs in and activates this device. */
import { type FormEvent, useState } from 'react';

export function SignIn() {
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const field = (name: string) => String(fields.get(name));
    const { licensing } = window;
    const signedIn = await licensing.signIn({ email: field('email'), password: field('password') });
    const result = signedIn.ok ? await licensing.activateLicense({ licenseKey: field('key') }) : signedIn;
    if (!result.ok) setProblem(result.failure.code);
  };
  return (
    <form onSubmit={submit}>
      <input name="email" aria-label="Email" />
      <input name="password" type="password" aria-label="Password" />
      <input name="key" aria-label="License key" />
      <button type="submit">Sign in</button>
      <p role="status">{problem}</p>
    </form>
  );
}
