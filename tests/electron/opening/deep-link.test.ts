/** Which links are accepted: exactly three kinds, and nothing that is almost one of them. */
import { describe, expect, it } from 'vitest';
import { parseDeepLink } from '../../../electron/opening/deep-link.ts';
import { places } from '../../../shared/ipc/open-request.ts';

const key = 'SVC-7QK2-90AB-CDEF-GH1T';

describe('a link', () => {
  it('activates with its key, however it is encoded', () => {
    const activate = (licenseKey: string) => ({ kind: 'activate', licenseKey });
    expect(parseDeepLink(`latchkey://activate?key=${key}`, 'latchkey')).toEqual(activate(key));
    expect(parseDeepLink('latchkey://activate?key=%53VC%2d7QK2', 'latchkey')).toEqual(activate('SVC-7QK2'));
    expect(parseDeepLink('latchkey://activate?key=svc+7qk2+', 'latchkey')).toEqual(activate('svc 7qk2'));
    expect(parseDeepLink('latchkey://activate?key=LAB_7/x.33%3D=', 'latchkey')).toEqual(activate('LAB_7/x.33=='));
    const longest = 'K'.repeat(200);
    expect(parseDeepLink(`latchkey://activate?key=${longest}`, 'latchkey')).toEqual(activate(longest));
  });

  it.each(places)('opens %s', (place) => {
    expect(parseDeepLink(`latchkey://open/${place}`, 'latchkey')).toEqual({ kind: 'open', place });
  });

  it('asks to import a lease', () => {
    expect(parseDeepLink('latchkey://lease', 'latchkey')).toEqual({ kind: 'lease' });
  });

  it('has the app’s scheme', () => {
    expect(parseDeepLink('my-app://lease', 'my-app')).toEqual({ kind: 'lease' });
    expect(parseDeepLink('latchkey://lease', 'my-app')).toBeNull();
  });

  it.each([
    { what: 'another host', link: `latchkey://deactivate?key=${key}` },
    { what: 'a host in upper case', link: `latchkey://ACTIVATE?key=${key}` },
    { what: 'no host', link: 'latchkey:' },
    { what: 'no slashes', link: `latchkey:activate?key=${key}` },
    { what: 'another path', link: `latchkey://activate/now?key=${key}` },
    { what: 'a slash at the end', link: 'latchkey://lease/' },
    { what: 'another place', link: 'latchkey://open/admin' },
    { what: 'a place outside', link: 'latchkey://open/../settings' },
    { what: 'no place', link: 'latchkey://open' },
    { what: 'a repeated parameter', link: `latchkey://activate?key=${key}&key=${key}` },
    { what: 'an unknown parameter', link: `latchkey://activate?key=${key}&server=https://evil.example` },
    { what: 'only an unknown parameter', link: 'latchkey://activate?server=https://evil.example' },
    { what: 'a parameter where none belongs', link: 'latchkey://lease?file=/etc/passwd' },
    { what: 'user info', link: `latchkey://ada:secret@activate?key=${key}` },
    { what: 'a port', link: `latchkey://activate:80?key=${key}` },
    { what: 'an empty port', link: `latchkey://activate:?key=${key}` },
    { what: 'a fragment', link: `latchkey://activate?key=${key}#top` },
    { what: 'no key', link: 'latchkey://activate' },
    { what: 'an empty key', link: 'latchkey://activate?key=' },
    { what: 'a key of spaces', link: 'latchkey://activate?key=%20+' },
    { what: 'a key that is too long', link: `latchkey://activate?key=${'K'.repeat(201)}` },
    { what: 'a key with a line break', link: 'latchkey://activate?key=SVC%0A7' },
    { what: 'a key that turns the writing around', link: 'latchkey://activate?key=SVC%E2%80%AE7' },
    { what: 'a broken encoding', link: 'latchkey://activate?key=%E0%A4%A' },
    { what: 'a line break, which URL parsers drop', link: `latchkey://acti\nvate?key=${key}` },
    { what: 'a space before it', link: ' latchkey://lease' },
    { what: 'over 2,000 characters', link: `latchkey://activate?key=${'+'.repeat(1970)}SVC-7QK2` },
    { what: 'another scheme', link: `https://activate?key=${key}` },
  ])('with $what is not accepted', ({ link }) => {
    expect(parseDeepLink(link, 'latchkey')).toBeNull();
  });
});
