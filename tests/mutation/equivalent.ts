/** Mutations that no test can detect, or that need not be detected, with the reason. */

export type Equivalent = {
  readonly file: string;
  /** The line without its indentation. */
  readonly source: string;
  /** The text that replaces a part of the line; any text if omitted. */
  readonly replacement?: string;
  readonly reason: string;
};

export const equivalents: readonly Equivalent[] = [
  {
    file: 'server/subscriptions/subscription.rules.ts',
    source: 'return differing >= 0 && (one[differing] ?? 0) > (other[differing] ?? 0);',
    replacement: 'true',
    reason: 'Where nothing differs, at -1, 0 is compared with 0.',
  },
  {
    file: 'server/subscriptions/subscription.rules.ts',
    source: 'return differing >= 0 && (one[differing] ?? 0) > (other[differing] ?? 0);',
    replacement: '(one[differing] ?? 0) >= (other[differing] ?? 0)',
    reason: 'At that place they differ.',
  },
  {
    file: 'server/subscriptions/subscription.rules.ts',
    source: 'const [first, ...others] = subscriptions.toSorted((one, other) => (one.id < other.id ? 1 : -1));',
    replacement: 'one.id <= other.id',
    reason: 'No two subscriptions have the same id.',
  },
  {
    file: 'server/licenses/license.rules.ts',
    source: "return status === 'expired' && license.noticed_lead_ms !== 0 ? license.status : status;",
    replacement: 'true',
    reason: 'Any other status than expired is the one that was set.',
  },
  {
    file: 'server/activations/activation.rules.ts',
    source: 'return leaseEndMs !== null && leaseEndMs > nowMs;',
    replacement: 'true',
    reason: 'null compares as 0, which is not after now.',
  },
  {
    file: 'server/activations/activation.rules.ts',
    source: 'return one === null || other === null ? (one ?? other) : Math.max(one, other);',
    replacement: 'false',
    reason: '`Math.max` takes null for 0: before any other end, and as long over as one that there is not.',
  },
  {
    file: 'server/activations/activation.rules.ts',
    source: 'return one === null || other === null ? (one ?? other) : Math.max(one, other);',
    replacement: 'one === null && other === null',
    reason: '`Math.max` takes null for 0, which is before any other end.',
  },
  {
    file: 'server/leases/lease-grant.rules.ts',
    source: 'if (sure === account) return grants;',
    replacement: 'false',
    reason: 'It saves comparing the grants of an account with themselves.',
  },
  {
    file: 'server/policy-preview/policy-preview.rules.ts',
    source: 'return limit !== undefined && limit !== before.get(plan)?.max_devices && active.length > limit;',
    replacement: 'true',
    reason: 'No number is more than undefined; a limit that is the same is noticed.',
  },
  {
    file: 'server/api-keys/api-key.rules.ts',
    source: 'return key.is_legacy === 1 && key.legacy_expires_at_ms !== null && nowMs < key.legacy_expires_at_ms;',
    replacement: 'true',
    reason: 'No time is before null, which compares as 0; a key that is not legacy is noticed.',
  },
  {
    file: 'server/oidc/identity.rules.ts',
    source:
      "const found = [groups].flat().flatMap((group) => (typeof group === 'string' ? (roles.get(group) ?? []) : []));",
    replacement: 'true',
    reason: 'The groups with a role have texts as names: nothing else is found among them.',
  },
  {
    file: 'server/statistics/statistics.rules.ts',
    source: "return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 1;",
    replacement: 'true',
    reason: 'Only a number is an integer; one that is no integer, or not above 0, is noticed.',
  },
  {
    file: 'server/audit/audit-chain.rules.ts',
    source: "const [id = '', digest = ''] = line.split(' ');",
    replacement: '"Stryker was here!"',
    reason: '`split` gives at least one text, so the id is never left out; that of the digest is noticed.',
  },
  {
    file: 'server/audit/audit-chain.rules.ts',
    source: `const name = \`seal \${seal.id}, which begins with the entry \${listed[0]?.id},\`;`,
    replacement: 'listed[0].id',
    reason: '`listEntries` gives at least one entry.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'return a.name < b.name ? -1 : 1;',
    replacement: 'a.name <= b.name',
    reason: 'No two files of a version have the same name.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'if (newest && !same && byVersion(newest, { version }) < 0) {',
    replacement: 'byVersion(newest, { version }) <= 0',
    reason: 'If the newest one is the same version, `same` is set.',
  },
  {
    file: 'server/updates/update-feed.rules.ts',
    source: 'const published = same?.files ?? [];',
    replacement: '["Stryker was here"]',
    reason: 'A text has neither a name nor a kind, so it is no file that another one could be compared with.',
  },
  {
    file: 'server/accounts/password-hash.rules.ts',
    source: "const [, cost = ''] = /^\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];",
    replacement: '"Stryker was here!"',
    reason: 'Without a match the cost is no number, whatever text stands for it.',
  },
  {
    file: 'server/accounts/password-hash.rules.ts',
    source: "const [, cost = ''] = /^\\$2[aby]\\$(\\d\\d)\\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];",
    replacement: '["Stryker was here"]',
    reason: 'Only what follows the first element is read.',
  },
  {
    file: 'server/http/byte-ranges.rules.ts',
    source: "const [, first = '', last = ''] = match ?? [];",
    replacement: '["Stryker was here"]',
    reason: 'Only what follows the first element is read.',
  },
  {
    file: 'server/http/file-response.rules.ts',
    source:
      "if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return { status: 200 };",
    replacement: 'false',
    reason:
      'A range that is left out is ill-formed for `parseByteRanges` as well; the condition is there for its type.',
  },
  {
    file: 'server/backup/setting-warnings.rules.ts',
    source:
      'const certificateDays = certificateEndsAtMs === undefined ? Infinity : (certificateEndsAtMs - nowMs) / dayMs;',
    replacement: 'false',
    reason: 'Without a certificate the days are then no number, which is as little below a limit as infinity is.',
  },
  {
    file: 'server/private-file.rules.ts',
    source: "const users = parseTable(passwd).map(([name = '', , id, primaryGroup]) => ({",
    replacement: '"Stryker was here!"',
    reason: '`split` gives at least one text, so the name is never left out.',
  },
  {
    file: 'server/private-file.rules.ts',
    source: "case 'link':",
    replacement: '""',
    reason: 'Without a case of its own a link is no problem either.',
  },
  {
    file: 'server/private-file.rules.ts',
    source: "case 'link':",
    replacement: "// A link has no mode; what it points to is checked separately. case 'link':",
    reason: 'What follows the last case gives `undefined` as well.',
  },
  {
    file: 'server/private-file.rules.ts',
    source: "return text.split('\\n').flatMap((line) => (line.startsWith('#') ? [] : [line.split(':')]));",
    replacement: '["Stryker was here"]',
    reason: 'That text has no numbers, so it is neither a user nor a group.',
  },
  {
    file: 'server/billing/account-trust.rules.ts',
    source: 'return email !== undefined && parseEmail(email)?.key === parseEmail(account.email)?.key;',
    replacement: 'parseEmail(account.email).key',
    reason: 'The email of an account is an address.',
  },
  {
    file: 'electron/licensing/entitlement.ts',
    source: 'const features: Readonly<Record<string, unknown>> = facts.status?.response.features ?? {};',
    replacement: 'facts.status.response',
    reason: 'A license is found in a status only where there is one.',
  },
  {
    file: 'electron/licensing/trusted-time.ts',
    source: 'if (this.#aheadMs === null || this.isAhead(serverTimeMs)) return false;',
    replacement: 'false',
    reason: 'Without a time that was ahead, null is as 0: the time of no machine is within minutes of 1970.',
  },
  {
    file: 'electron/licensing/trusted-time.ts',
    source: 'if ((this.signedMs ?? 0) < signedMs) this.#signed = this.#startAt(signedMs);',
    replacement: '(this.signedMs ?? 0) <= signedMs',
    reason: 'The same time is measured on from now as from before.',
  },
  {
    file: 'electron/licensing/trusted-time.ts',
    source: 'if ((this.#aheadMs ?? 0) < signedMs) this.#ahead = this.#startAt(signedMs);',
    replacement: '(this.#aheadMs ?? 0) <= signedMs',
    reason: 'The same time is measured on from now as from before.',
  },
  {
    file: 'electron/licensing/warnings.ts',
    source: 'const now = text.match(numbers) ?? [];',
    replacement: '["Stryker was here"]',
    reason: 'A text that is no number is not above any.',
  },
  {
    file: 'electron/licensing/lease-renewal.ts',
    source: '...(isOfLicense ? Object.entries(status?.response.features ?? {}) : []),',
    replacement: 'status.response',
    reason: 'A license is found in a status only where there is one.',
  },
  {
    file: 'electron/licensing/lease-renewal.ts',
    source: "...(isOfLicense ? [['plan', status?.response.subscription?.plan ?? validated?.plan]] : []),",
    replacement: 'status.response',
    reason: 'A license is found in a status only where there is one.',
  },
  {
    file: 'electron/licensing/why.ts',
    source:
      "if (status === null || subscription === null) return step('subscription', { source: 'app', result: 'unknown' });",
    replacement: 'false',
    reason: 'Without a status there is no subscription; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/why.ts',
    source: 'const at = (feature in validated ? validation?.at : status?.at) ?? null;',
    replacement: 'validation.at',
    reason: 'Only a validation has validated a feature.',
  },
  {
    file: 'electron/licensing/why.ts',
    source: 'const at = (feature in validated ? validation?.at : status?.at) ?? null;',
    replacement: 'status.at',
    reason: 'What was said of a feature, and not in a validation, was said in a status.',
  },
  {
    file: 'electron/licensing/why.ts',
    source: "const until = license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;",
    replacement: 'true',
    reason: 'The other states have no such time, and `step` takes undefined for null.',
  },
  {
    file: 'electron/licensing/device-name.ts',
    source: '#setAsideFirst = false;',
    replacement: 'true',
    reason: '`load` sets it before the first write.',
  },
  {
    file: 'electron/licensing/device-name.ts',
    source: "this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);",
    replacement: 'true',
    reason: 'Only a value has `isNewer`.',
  },
  {
    file: 'electron/licensing/activation.ts',
    source: "const license = validation.kind === 'success' ? validation.response : null;",
    replacement: 'true',
    reason: 'Only a success has a response, and what follows takes undefined for null.',
  },
  {
    file: 'electron/licensing/device-rename.ts',
    source: 'const isActive = validation?.response.valid === true && validation.response.already_activated_on_device;',
    replacement: 'true',
    reason: 'A response that is not valid does not have the other field.',
  },
  {
    file: 'electron/licensing/device-rename.ts',
    source: 'const isActive = validation?.response.valid === true && validation.response.already_activated_on_device;',
    replacement: 'validation.response',
    reason: 'It is called right after a validation; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/device-rename.ts',
    source: 'if (!this.#isDue || licenseKey === null || localChange !== null || !isActive) return null;',
    replacement: 'false',
    reason: 'Without a key there is no validation; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/license-store.ts',
    source: "if (read.kind === 'absent') free ??= { read, documentName, setAsideFirst: false };",
    replacement: 'true',
    reason: 'Where nothing is stored there is nothing to set aside.',
  },
  {
    file: 'electron/licensing/license-store.ts',
    source: "return read.kind === 'value' && !isOwned(read.value.binding, opening) ? { kind: 'absent' } : read;",
    replacement: '{}',
    reason: 'Whatever is neither a value nor unreadable is taken for absent.',
  },
  {
    file: 'electron/licensing/license-store.ts',
    source: "return read.kind === 'value' && !isOwned(read.value.binding, opening) ? { kind: 'absent' } : read;",
    replacement: '""',
    reason: 'Whatever is neither a value nor unreadable is taken for absent.',
  },
  {
    file: 'electron/licensing/license-store.ts',
    source: "if (state.kind === 'closed' || state.kind === 'open' || state.opening !== opening) return;",
    replacement: 'false',
    reason: 'A closed store has no opening; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/license-store.ts',
    source: "if (state.kind === 'closed' || state.kind === 'open' || state.opening !== opening) return;",
    replacement: '""',
    reason: 'A closed store has no opening; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: "this.#verified = verified.kind === 'verified' ? verified.value : null;",
    replacement: 'true',
    reason: 'A refusal has no value, and undefined is as little a lease as null.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: "const outcome = refused ? 'refused' : taken ? 'given' : 'inconclusive';",
    replacement: '""',
    reason: 'Only the other two outcomes are looked for, and for them this is noticed.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: 'if (this.#isOlderThanInUse(issuedMs) || (endedAt !== null && (iat + 1) * 1000 < Date.parse(endedAt)))',
    replacement: 'true',
    reason: 'Nothing is before a time that is none; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source:
      "if (verified.kind === 'verified' || verified.problem !== 'unknown_key' || leaseKeys.arePinned) return verified;",
    replacement: 'false',
    reason: 'Only a refusal has a problem; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source:
      "if (verified.kind === 'verified' || verified.problem !== 'unknown_key' || leaseKeys.arePinned) return verified;",
    replacement: '""',
    reason: 'Only a refusal has a problem; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source:
      "result.kind === 'success' && given && (await this.#take(result.response.lease, given, result.serverTimeMs));",
    replacement: 'true',
    reason: 'Only a success has given a lease; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source:
      "result.kind === 'success' && given && (await this.#take(result.response.lease, given, result.serverTimeMs));",
    replacement: "result.kind === 'success' || given",
    reason: 'A success has always given something that was verified, and nothing else has.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: 'if (dateMs !== null) trustedTime.checkDate(dateMs, verified.value.claims.iat * 1000);',
    replacement: 'true',
    reason: 'No date is 0 in a subtraction, which is not ahead of any time; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "if (this.#state.kind === 'refreshing') await this.#state.result;",
    replacement: 'true',
    reason: 'Only a refresh has a result to wait for; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "return this.#state.kind === 'signed-out' ? null : this.#state.document;",
    replacement: 'false',
    reason: 'Who is signed out has no document, and undefined is read as null; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "return this.#state.kind === 'signed-out' ? null : this.#state.document;",
    replacement: '""',
    reason: 'Who is signed out has no document, and undefined is read as null; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "const given = typeof options === 'function' ? options(this.refreshToken ?? '') : options;",
    replacement: '"Stryker was here!"',
    reason: 'Who has an access token has a refresh token.',
  },
  {
    file: 'electron/licensing/session.ts',
    source:
      "this.#stored = read.kind === 'unreadable' ? 'unreadable' : read.kind === 'value' && read.isNewer ? 'newer' : 'own';",
    replacement: 'true',
    reason: 'Only a value can be newer; that an unreadable one is set aside is noticed.',
  },
  {
    file: 'electron/licensing/session.ts',
    source:
      "this.#stored = read.kind === 'unreadable' ? 'unreadable' : read.kind === 'value' && read.isNewer ? 'newer' : 'own';",
    replacement: '""',
    reason: 'What is neither own nor unreadable is set aside by any name; that of the other two is noticed.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: "if (this.#last !== null && contradictions(store.facts, this.claims) === '')",
    replacement: 'true',
    reason: 'A last request of which nothing is known decides as none does.',
  },
  {
    file: 'electron/licensing/lease.ts',
    source: "const contradicted = refused || contradictedNow === contradictedBefore ? contradictedNow : '';",
    replacement: '"Stryker was here!"',
    reason: 'It is compared only with what does contradict, which is neither text.',
  },
  {
    file: 'server/auth/auth.routes.ts',
    source: 'return { success: true };',
    replacement: 'false',
    reason: 'The schema of the response has no other value, so `true` is sent.',
  },
  {
    file: 'server/auth/auth.routes.ts',
    source: 'success: true,',
    replacement: 'false',
    reason: 'The schema of the response has no other value, so `true` is sent.',
  },
  {
    file: 'server/auth/email-change.service.ts',
    source: "throw isConstraintViolation(error) ? new ApiError('EMAIL_EXISTS') : error;",
    replacement: '""',
    reason: 'Only two processes on PostgreSQL get there: on SQLite the address is looked up in the same transaction.',
  },
  {
    file: 'server/auth/email-change.service.ts',
    source: "await lockByName(transaction, 'billing');",
    replacement: '""',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/password-reset.service.ts',
    source: "await lockByName(transaction, 'billing');",
    replacement: '""',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/account-deletion.service.ts',
    source: "await lockByName(transaction, 'staff');",
    replacement: '""',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: 'return lockRows(transaction, () => {',
    replacement: '{}',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/account-page.routes.ts',
    source: 'return { success: true };',
    replacement: 'false',
    reason: 'The schema of the response has no other value, so `true` is sent.',
  },
  {
    file: 'server/auth/invitation.service.ts',
    source: "await lockByName(transaction, 'staff');",
    replacement: '""',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/invitation.service.ts',
    source: "if (!account) throw new ApiError('CONFLICT', 'This account has just been deleted. Invite again.');",
    reason: 'Only two processes on PostgreSQL get there: on SQLite the account was found in the same transaction.',
  },
  {
    file: 'server/auth/invitation.service.ts',
    source: 'const details = { ...(plan !== undefined && { plan }), sent: send };',
    replacement: 'true',
    reason: 'What is undefined is left out of the JSON that is stored.',
  },
  {
    file: 'server/auth/password-change.service.ts',
    source: 'const turn = { group: networkPrefix(address), isPreferred: true };',
    reason:
      'It decides whose password is hashed first while many wait. tests/server/auth/password-guessing.test.ts shows it of sign-ins.',
  },
  {
    file: 'server/auth/password-reset.service.ts',
    source: 'const turn = { group: networkPrefix(address), isPreferred: true };',
    reason:
      'It decides whose password is hashed first while many wait. tests/server/auth/password-guessing.test.ts shows it of sign-ins.',
  },
  {
    file: 'server/auth/auth.service.ts',
    source: 'const account = await accounts.prepare(request, { group: networkPrefix(address), isPreferred: false });',
    reason:
      'It decides whose password is hashed first while many wait. tests/server/auth/password-guessing.test.ts shows it of sign-ins.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: 'return lockRows(transaction, () => {',
    replacement: '() => undefined',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source:
      "const session = transaction.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', tokenHash);",
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: "return transaction.selectFrom('sessions').select('id').where('id', 'in', session);",
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: 'export function lockSessionOfToken(transaction: Transaction, tokenHash: string): Promise<void> {',
    replacement: '{}',
    reason: 'Rows are locked on PostgreSQL only, whose tests run in processes of their own.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: ".selectAll('sessions')",
    replacement: '""',
    reason: 'Every column that is read is one of the sessions, whatever else is selected.',
  },
  {
    file: 'server/auth/refresh-token.repository.ts',
    source: ".select(({ fn }) => fn.max('expires_at_ms').as('expires_at_ms'))",
    replacement: '""',
    reason: 'The name of the column of the inner query is not read.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: "userAgent: user_agent ?? '',",
    replacement: '"Stryker was here!"',
    reason: 'Each session is stored with a user agent, if an empty one.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: 'if (successor_hash === null || idempotency_key_hash === null || encrypted_successor === null)',
    replacement: '(successor_hash === null || idempotency_key_hash === null) && encrypted_successor === null',
    reason:
      'A token that has the encrypted copy of its successor has the two hashes too; the conditions are there for their types.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: 'if (successor_hash === null || idempotency_key_hash === null || encrypted_successor === null)',
    replacement: 'false',
    reason:
      'A token that has the encrypted copy of its successor has the two hashes too; the conditions are there for their types.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: 'if (successor_hash === null || idempotency_key_hash === null || encrypted_successor === null)',
    replacement: 'successor_hash === null && idempotency_key_hash === null',
    reason:
      'A token that has the encrypted copy of its successor has the two hashes too; the conditions are there for their types.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: "if (!successor) return { state: 'used' };",
    reason: 'The successor stays for as long as the token that it replaced.',
  },
  {
    file: 'server/auth/refresh-token.service.ts',
    source: "return text.replaceAll('\\0', '').slice(0, maxUserAgentLength).toWellFormed();",
    reason: 'No header has that character: what has one is no HTTP.',
  },
  {
    file: 'server/auth/password-check.ts',
    source: 'if (!(error instanceof ApiError) || !refusals.includes(error.code)) return undefined;',
    replacement: 'false',
    reason: 'What is no `ApiError` has no code of a refusal.',
  },
  {
    file: 'server/auth/password-check.ts',
    source: 'if (!(error instanceof ApiError) || !refusals.includes(error.code)) return undefined;',
    replacement: '!(error instanceof ApiError) && !refusals.includes(error.code)',
    reason:
      'Besides the refusals only a full queue of passwords gets there, which tests/faults/sign-in-flood.test.ts has, in a process of its own.',
  },
  {
    file: 'server/auth/known-network.repository.ts',
    source: '.limit(sql.lit(maxKnownNetworks - 1));',
    replacement: 'maxKnownNetworks + 1',
    reason: 'The query was built before the change was made: that happens once in a process.',
  },
  {
    file: 'server/auth/known-networks.ts',
    source: "const network = hashNetwork(this.#key, userId ?? '', address);",
    replacement: '"Stryker was here!"',
    reason: 'No account has that id either.',
  },
  {
    file: 'server/auth/known-networks.ts',
    source: "this.#key = createSecretKey(deriveKey(deps.secrets.pepper, 'known networks'));",
    replacement: '""',
    reason: 'It is another key, and that is all that it has to be.',
  },
  {
    file: 'server/auth/reauthentication.ts',
    source: 'if (!reason) throw error;',
    reason:
      'Only a full queue of passwords and a database that is away get there, which tests/faults has in processes of their own.',
  },
  {
    file: 'server/auth/session.service.ts',
    source: '.toSorted((left, right) => (rank(left) < rank(right) ? 1 : -1))',
    replacement: 'rank(left) <= rank(right)',
    reason: 'In which order sessions are listed that were used at the same time does not matter.',
  },
  {
    file: 'server/auth/session.service.ts',
    source: 'if (!isUuid(sessionId)) return false;',
    replacement: 'false',
    reason: 'What is no UUID is not found either; it saves PostgreSQL characters that it refuses.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'const emailKey = parseEmail(email)?.key ?? email;',
    replacement: 'parseEmail(email).key',
    reason: 'The email of an account can be parsed.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'const account = row.email === null ? undefined : await accounts.findByEmail(row.email, transaction);',
    replacement: 'false',
    reason: 'No account has that email.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'if (!provider || row.payload === null) return undefined;',
    replacement: 'false',
    reason: 'A dead letter has its body; the condition is there for its type.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'if (!provider || row.payload === null) return undefined;',
    replacement: '!provider && row.payload === null',
    reason: 'A dead letter has its body; that of a provider that is not configured is noticed.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: "return event.content.kind === 'subscription' && outcome.state !== 'dead_letter';",
    replacement: "event.content.kind === 'subscription' || outcome.state !== 'dead_letter'",
    reason: 'It saves looking for dead letters where nothing has changed that they wait for.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: "return event.content.kind === 'subscription' && outcome.state !== 'dead_letter';",
    replacement: 'true',
    reason: 'It saves looking for dead letters where nothing has changed that they wait for.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'default:',
    replacement: 'default:',
    reason: 'A column that is left out is null.',
  },
  {
    file: 'server/billing/billing.service.ts',
    source: 'payload: row.payload === null ? null : JSON.parse(row.payload),',
    replacement: 'false',
    reason: 'As JSON, null is null.',
  },
  {
    file: 'server/billing/billing-event-handler.ts',
    source:
      'if (!owner.account && !isTrusted(account, change)) return toDeadLetter(unconfirmedReason, parseEmail(email)?.key);',
    replacement: 'parseEmail(email).key',
    reason: 'It was parsed before.',
  },
  {
    file: 'server/billing/paid-licenses.ts',
    source: 'return paid.map(keyOfRow).some((key) => key.provider === provider && key.reference === reference);',
    replacement: 'true',
    reason: 'Two providers have no reference in common.',
  },
  {
    file: 'server/auth/invitation.service.ts',
    source: 'if (request.send) mailQueue.requireAvailable();',
    replacement: 'false',
    reason: 'The queue refuses the mail as well, in the write, which is undone.',
  },
  {
    file: 'server/auth/invitation.service.ts',
    source: 'if (request.send) mailQueue.requireAvailable();',
    replacement: ';',
    reason: 'The queue refuses the mail as well, in the write, which is undone.',
  },
  {
    file: 'server/billing/provisional-subscription.ts',
    source: "const { customerId = '', email = '', createdAtMs, accountEmail } = change;",
    replacement: '"Stryker was here!"',
    reason: 'Nothing was created for that name: customers have the ids of their provider, and it is no email.',
  },
  {
    file: 'server/billing/provisional-subscription.ts',
    source: "{ customer: customerId, email: '' },",
    replacement: '"Stryker was here!"',
    reason: 'The email counts only without a customer, and no subscription was created for that text.',
  },
  {
    file: 'server/billing/provisional-subscription.ts',
    source: "return prefix + (customer || (parseEmail(email)?.key ?? ''));",
    replacement: '"Stryker was here!"',
    reason: 'No subscription was created for that text, which is no email.',
  },
  {
    file: 'server/billing/provisional-subscription.ts',
    source: 'if (createdAtMs !== undefined && createdAtMs > (row.event_at_ms ?? row.updated_at_ms)) continue;',
    replacement: 'true',
    reason: '`undefined` is not after any time; the condition is there for its type.',
  },
  {
    file: 'server/billing/provisional-subscription.ts',
    source: 'return other !== undefined && Math.floor(one / dayMs) === Math.floor(other / dayMs);',
    replacement: 'true',
    reason: 'Without an end the day is no number, which equals none; that of another day is noticed.',
  },
  {
    file: 'server/billing/billing-event-handler.ts',
    source: 'const isKnown = known?.by_typed_email === 0 && id === known.user_id;',
    replacement: 'true',
    reason: 'The account of a subscription is there for as long as the subscription, and comes first.',
  },
  {
    file: 'electron/licensing/account.ts',
    source: 'this.#deps.changes.notify();',
    replacement: ';',
    reason: 'Each response of the server notifies too.',
  },
  {
    file: 'electron/licensing/api-key.ts',
    source: 'changes.notify();',
    replacement: ';',
    reason: 'Each response of the server notifies too.',
  },
  {
    file: 'electron/licensing/api-key.ts',
    source: "return this.#loadStatus('later');",
    replacement: '""',
    reason: 'Whatever is not `now` is written later.',
  },
  {
    file: 'electron/licensing/api-key.ts',
    source: 'if (!isRequested && clock.monotonic() - this.#checkedAtMs < checkEveryMs) return null;',
    replacement: 'clock.monotonic() - this.#checkedAtMs <= checkEveryMs',
    reason: 'It differs only in a sync that begins exactly 15 minutes after the last check.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "#nextScope: SyncScope = 'scheduled';",
    replacement: '""',
    reason: '`start` sets it before the first run.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "this.#nextScope = 'scheduled';",
    replacement: '""',
    reason: 'Whatever is neither requested nor a heartbeat is a full sync, and each run sets it anew.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: 'await this.#job?.runNow();',
    replacement: 'this.#job.runNow',
    reason: 'A session and its job begin in the same turn.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "if (this.#nextScope === 'scheduled' && this.#job?.hasStarted) this.#nextScope = 'heartbeat';",
    replacement: 'this.#job.hasStarted',
    reason: 'An activation ends within a session, which has a job.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: 'this.#job?.runWithin(this.#soonMs());',
    replacement: 'this.#job.runWithin',
    reason: 'A listener that fails is not noticed while nobody is signed in.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: 'const userId = session.user?.id;',
    replacement: 'session.user.id',
    reason: 'A sync runs only while somebody is signed in.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "const result = await deviceLicense.validateStored('later');",
    replacement: '""',
    reason: 'Whatever is not `now` is written later.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "goesOn(await deviceLicense.loadStatus('later')) && goesOn(await lease.renewIfDue(scope === 'requested'));",
    replacement: '""',
    reason: 'Whatever is not `now` is written later.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: "return ['SERVER_UNREACHABLE', 'CANCELED', 'NOT_SIGNED_IN', 'STORE_UNAVAILABLE'].includes(code);",
    replacement: '""',
    reason: 'With these codes, the remaining calls fail in the same way without being sent.',
  },
  {
    file: 'electron/licensing/stored-document.ts',
    source: 'const written = envelope.safeParse(json).data ?? { version };',
    replacement: '{}',
    reason: 'Without a version it is not newer either.',
  },
  {
    file: 'electron/licensing/stored-document.ts',
    source: '} catch {',
    replacement: '{}',
    reason: 'A function that ends also returns `undefined`.',
  },
  {
    file: 'electron/licensing/cached-document.ts',
    source: "this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);",
    replacement: 'true',
    reason: 'What is absent is not newer.',
  },
  {
    file: 'electron/licensing/lease-end.ts',
    source: 'if (sync.nextAtMs !== null && sync.nextAtMs <= clock.now() + goodForMs) return;',
    replacement: 'sync.nextAtMs < clock.now() + goodForMs',
    reason: 'It differs only for a sync in the very millisecond of the end.',
  },
  {
    file: 'electron/licensing/lease-end.ts',
    source: 'if (lease.claims !== null && !isLeftToSync) void store.update({ time: trustedTime.reading() });',
    replacement: 'true',
    reason: 'Without a lease, either nothing is open or a sync stores the time.',
  },
  {
    file: 'electron/licensing/warnings.ts',
    source: 'const [first, second] = [one, other].map((text) => (text.match(numbers) ?? []).toSorted().join());',
    replacement: '["Stryker was here"]',
    reason: 'It stands for no number: the same for two texts without one, and equal to no number.',
  },
  {
    file: 'electron/licensing/sync.ts',
    source: 'this.stop();',
    reason: 'Whoever begins a session has ended the one before, and with it its sync.',
  },
  {
    file: 'electron/licensing/heartbeat.ts',
    source: 'this.#clearings++;',
    replacement: 'this.#clearings--',
    reason: 'Each clearing only needs a number of its own.',
  },
  {
    file: 'electron/licensing/server-about.ts',
    source: 'if (serverAddress === null) return;',
    replacement: 'false',
    reason: 'A call without a server is not sent.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "const confirmed = isRandom ? await this.#confirm(remembered.deviceId, id) : 'no';",
    replacement: '""',
    reason: 'Whatever is neither `yes` nor `unknown` is a no.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "if (read.kind !== 'value') return read.kind === 'absent' ? 'no' : 'unknown';",
    replacement: '""',
    reason: 'Whatever is neither `yes` nor `unknown` is a no. The other text is noticed.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "if (read.value.deviceId !== randomId) return 'no';",
    replacement: '""',
    reason: 'Whatever is neither `yes` nor `unknown` is a no.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "return (read.value.machineDeviceId ?? machineDeviceId) === machineDeviceId ? 'yes' : 'no';",
    replacement: '""',
    reason: 'Whatever is neither `yes` nor `unknown` is a no.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "const isDamaged = before.kind === 'unreadable' && before.why === 'damaged';",
    replacement: 'true',
    reason: 'Only what is unreadable says why.',
  },
  {
    file: 'electron/licensing/device-id.ts',
    source: "if (text.kind === 'value' && deviceId.safeParse(text.value).success) {",
    replacement: 'true',
    reason: 'What has no value is no id.',
  },
  {
    file: 'electron/licensing/devices.ts',
    source: 'if (loaded.ok) return this.#offer(chooseReplaceable(this.list.value ?? [], licenseKey));',
    replacement: '["Stryker was here"]',
    reason: 'A list that was loaded is there; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/devices.ts',
    source: 'const replaced = replaces === undefined ? [] : [replaces];',
    replacement: 'false',
    reason: 'No activation has an undefined id.',
  },
  {
    file: 'electron/licensing/devices.ts',
    source: 'const replaced = replaces === undefined ? [] : [replaces];',
    replacement: '["Stryker was here"]',
    reason: 'No activation has that id.',
  },
  {
    file: 'electron/licensing/devices.ts',
    source:
      "return result.kind === 'error' && result.failure.code === 'NOT_FOUND' ? succeed(null) : fail(result.failure);",
    replacement: 'true',
    reason: 'Only an error of the server has that code.',
  },
  {
    file: 'electron/licensing/devices.ts',
    source: 'this.#deps.changes.notify();',
    replacement: ';',
    reason: 'Each response of the server notifies too.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "#stored: 'own' | 'newer' | 'unreadable' = 'own';",
    replacement: '""',
    reason: '`restore` sets it before the first write.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "return this.#state.kind !== 'signed-out' && this.#state.storage === 'disk';",
    replacement: 'true',
    reason: 'Only a session has a document and a storage; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "if (this.#state.kind !== 'signed-out' && this.#state.document === document) {",
    replacement: 'true',
    reason: 'Only a session has a document and a storage; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "return this.#state.kind !== 'signed-out' && this.#state.storage === 'disk';",
    replacement: '""',
    reason: 'Only a session has a document and a storage; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source: "if (this.#state.kind !== 'signed-out' && this.#state.document === document) {",
    replacement: '""',
    reason: 'Only a session has a document and a storage; the condition is there for its type.',
  },
  {
    file: 'electron/licensing/session.ts',
    source:
      "return this.#state.kind === 'refreshing' && this.#state.document === attempt ? this.#state.storage : null;",
    replacement: 'true',
    reason: 'Each attempt has a document of its own.',
  },
];
