/** A license key that is typed into a search is not sent in full. */
import { expect, test } from 'vitest';
import { withoutLicenseKey } from '../../../renderer/admin/screens/licenses/license-search.ts';

test('a whole key becomes its preview, however it is written', () => {
  for (const typed of ['SVC-AB12-CD34-EF56-WXYZ', 'svc ab12 cd34 ef56 wxyz', 'SVCAB12CD34EF56WXYZ']) {
    expect(withoutLicenseKey(typed)).toBe('SVC-AB12...WXYZ');
  }
});

test('a key that is being typed becomes the beginning of its preview', () => {
  for (const typed of ['SVC-AB12-C', 'svc-ab12-cd34-ef56-wx', 'SVC-AB12-CD34-EF56-WXYZ9']) {
    expect(withoutLicenseKey(typed)).toBe('SVC-AB12');
  }
});

test('anything else stays as it is', () => {
  for (const typed of [
    '',
    'SVC-AB',
    'SVC-AB12',
    'SVC-AB12-',
    'SVC-AB12...WXYZ',
    'ada@lab.example',
    'svc@lab.example',
  ]) {
    expect(withoutLicenseKey(typed)).toBe(typed);
  }
});
