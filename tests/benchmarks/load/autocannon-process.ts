/** The load generator used without wrk: reads a load from stdin, and prints its result. */
import { text } from 'node:stream/consumers';
import autocannon, { type Request } from 'autocannon';
import { type Load, type LoadResult, numberMark } from './load.ts';

const load = JSON.parse(await text(process.stdin)) as Load;
const { method, requests, marker, carry } = load;
const carried = carry ? requests.map(({ body = '' }) => String(JSON.parse(body)[carry])) : [];
let position = 0;
let number = load.firstNumber ?? 0;
let wrong = 0;
let firstWrong: string | undefined;
const durationsMs: number[] = [];

function nextRequest(template: Request): Request {
  const { token, body } = requests[position++ % requests.length] ?? {};
  const numbered = body?.replace(numberMark, () => (++number).toString(16).toUpperCase().padStart(8, '0'));
  const sent = carry ? JSON.stringify({ [carry]: carried.shift() }) : numbered;
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(sent && { 'content-type': 'application/json' }),
  };
  return { ...template, headers, ...(sent === undefined ? {} : { body: sent }) };
}

function checkResponse(status: number, body: string): void {
  if (status !== 200 || !body.includes(marker)) {
    wrong += 1;
    firstWrong ??= `${status} ${body.slice(0, 300)}`;
  } else if (carry) {
    carried.push(JSON.parse(body)[carry]);
  }
}

const { duration, errors, timeouts } = await autocannon({
  url: load.url,
  connections: load.connections,
  duration: load.seconds,
  ...(load.responses === undefined ? {} : { amount: load.responses }),
  requests: [{ method, setupRequest: nextRequest, onResponse: checkResponse }],
  setupClient: (client) => client.on('response', (_status, _bytes, durationMs) => durationsMs.push(durationMs)),
});

durationsMs.sort((a, b) => a - b);
const percentile = (part: number) => durationsMs[Math.floor(durationsMs.length * part)] ?? 0;
const result: LoadResult = {
  responses: durationsMs.length,
  seconds: duration,
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
  p999Ms: percentile(0.999),
  wrong: wrong + errors + timeouts,
  ...(firstWrong === undefined ? {} : { firstWrong }),
};
console.log(JSON.stringify(result));
