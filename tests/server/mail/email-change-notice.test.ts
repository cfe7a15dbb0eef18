/**
 * The notice of a change to the old address. Someone who signed up with another person's address chooses the new one,
 * so the notice contains it only if no mail program would turn it into a link.
 */
import { describe, expect, it } from 'vitest';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { signUp, type User } from '../../harness/users.ts';

const link = 'www.evil.example/prize';

async function start() {
  const smtp = await startSmtpServer();
  const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
  const send = async (to: string) => {
    await sendMails(app);
    return smtp.mails.findLast((mail) => mail.to === to)?.text ?? '';
  };
  const request = async ({ email, token, password }: User, next: string, language = 'en') => {
    const headers = { 'accept-language': language };
    const { body } = await app.call('changeEmail', { token, body: { email: next, password }, headers });
    expect(body).toStrictEqual({ success: true });
    return send(email);
  };
  const confirm = async ({ email }: User, next: string, language = 'en') => {
    const token = /\/confirm#token=([\w-]+)/.exec(await send(next))?.[1];
    const response = await app.call('confirmEmail', { body: { token }, headers: { 'accept-language': language } });
    expect(response.status).toBe(200);
    return send(email);
  };
  return { app, request, confirm };
}

describe.each([
  ['en', 'wants to change its address. It changes', 'was changed. Sign in'],
  ['de', 'möchte dessen Adresse ändern. Sie ändert', 'wurde geändert. Melden'],
  ['ja', 'のメールアドレスを変更する', 'のメールアドレスは変更されました。今後は新しい'],
])('in %s', (language, requested, changed) => {
  it('an unconfirmed address is not sent a new address that looks like a link', async () => {
    const { app, request, confirm } = await start();
    const user = await signUp(app);
    const next = `${link}@evil.example`;
    const texts = [await request(user, next, language), await confirm(user, next, language)];
    for (const [index, sentence] of [requested, changed].entries()) {
      expect(texts[index]).toContain(sentence);
      expect(texts[index]).not.toContain('evil');
    }
  });
});

it('an unconfirmed address is sent any other new address', async () => {
  const { app, request, confirm } = await start();
  const user = await signUp(app);
  const next = 'ada+lab@lab.example';
  expect(await request(user, next)).toContain(`to ${next}. It changes`);
  expect(await confirm(user, next)).toContain(`is now ${next}. Sign in`);
});

it('a confirmed address is sent every new address', async () => {
  const { app, request, confirm } = await start();
  const user = await signUp(app);
  await app.database.write((transaction) => app.services.accounts.confirmEmail(transaction, user.id));
  const next = `${link}@evil.example`;
  expect(await request(user, next)).toContain(next);
  expect(await confirm(user, next)).toContain(next);
});
