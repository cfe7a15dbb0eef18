/** What a file request gets: the whole file, some of its bytes, or the answer that the client already has it. */
import { describe, expect, it } from 'vitest';
import { decideFileOutcome, type FileOutcome, type FileRequest } from '../../../server/http/file-response.rules.ts';

const file = { bytes: 100, etag: '"v2"' };
const outcomeOf = (headers: FileRequest['headers'], method = 'GET') => decideFileOutcome({ method, headers }, file);
const whole: FileOutcome = { status: 200 };
const unchanged: FileOutcome = { status: 304 };
const some: FileOutcome = { status: 206, ranges: [{ start: 10, end: 19 }] };
const range = 'bytes=10-19';

describe('a client that names the versions it has', () => {
  it.each([
    ['this one', '"v2"', unchanged],
    ['this one among others', '"v1", W/"v0" ,"v2"', unchanged],
    ['this one after a space', '"v1", "v2"', unchanged],
    ['this one before a space', '"v2" ,"v1"', unchanged],
    ['this one, which a cache has made weak', 'W/"v2"', unchanged],
    ['any', '*', unchanged],
    ['any, with spaces', ' * ', unchanged],
    ['another', '"v1"', whole],
    ['one whose tag ends in the same way', 'X/"v2"', whole],
    ['one whose tag has a weak mark in its middle', '"W/v2"', whole],
    ['this one after a weak mark that is not at the beginning', 'xW/"v2"', whole],
    ['any among others', '"v1", *', whole],
    ['none', '', whole],
  ])('%s: %s', (_, names, expected) => {
    expect(outcomeOf({ 'if-none-match': names })).toStrictEqual(expected);
  });

  it.each(['GET', 'HEAD'])('does not get bytes again that it already has, by %s', (method) => {
    expect(outcomeOf({ 'if-none-match': '"v2"', range }, method)).toStrictEqual(unchanged);
  });
});

describe('a client that asks for a range of bytes', () => {
  it.each<[string, FileRequest['headers'], FileOutcome]>([
    ['gets them', { range }, some],
    ['gets them of the version that it has begun', { range, 'if-range': '"v2"' }, some],
    ['gets them where it has another version', { range, 'if-none-match': '"v1"' }, some],
    ['gets all of another version than it has begun', { range, 'if-range': '"v1"' }, whole],
    ['gets all of a version that is only weakly the same', { range, 'if-range': 'W/"v2"' }, whole],
    ['gets all where it names a date', { range, 'if-range': 'Sat, 29 Oct 1994 19:43:31 GMT' }, whole],
    ['gets all where it names nothing', { range, 'if-range': '' }, whole],
    ['gets all where the range is ill-formed', { range: 'bytes=19-10' }, whole],
    ['gets none where they are behind the end', { range: 'bytes=100-' }, { status: 416 }],
  ])('%s', (_, headers, expected) => {
    expect(outcomeOf(headers)).toStrictEqual(expected);
  });

  it('gets the whole file with a method other than GET, which does not support ranges', () => {
    expect(outcomeOf({ range }, 'HEAD')).toStrictEqual(whole);
    expect(outcomeOf({ range: 'bytes=100-' }, 'HEAD')).toStrictEqual(whole);
  });
});

it('a plain request gets the whole file', () => {
  expect(outcomeOf({})).toStrictEqual(whole);
  expect(outcomeOf({ 'if-range': '"v2"' })).toStrictEqual(whole);
});
