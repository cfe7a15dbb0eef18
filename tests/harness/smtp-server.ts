/** A mail server on the loopback address that stores accepted mails, and can be told to reject. */
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export type ReceivedMail = {
  readonly from: string;
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
};

export class SmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Response to a recipient, instead of accepting it. */
  rejection: string | undefined;
  /** Number of recipients named, including rejected ones. */
  recipients = 0;
  readonly #server: Server;
  readonly #received = new EventEmitter();
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      void this.#talk(socket).catch(() => socket.destroy());
    });
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Waits for this many mails to an address, and returns them. */
  async waitFor(to: string, count = 1): Promise<readonly ReceivedMail[]> {
    const mailsTo = () => this.mails.filter((mail) => mail.to === to);
    const signal = AbortSignal.timeout(120_000);
    while (mailsTo().length < count) await once(this.#received, 'mail', { signal });
    return mailsTo();
  }

  /** Implements as much of RFC 5321 as is needed by a client that sends one mail after another. */
  async #talk(socket: Socket): Promise<void> {
    const say = (text: string) => socket.write(`${text}\r\n`);
    let [from, to] = ['', ''];
    let data: string[] | undefined;
    say('220 test');
    for await (const line of createInterface({ input: socket })) {
      if (data) {
        if (line !== '.') data.push(line.replace(/^\./, ''));
        else {
          this.mails.push(parseMail(from, to, data));
          this.#received.emit('mail');
          data = undefined;
          say('250 accepted');
        }
      } else if (/^(EHLO|HELO)/i.test(line)) say('250 test');
      else if (/^MAIL FROM:/i.test(line)) {
        from = /<(.*?)>/.exec(line)?.[1] ?? '';
        say('250 ok');
      } else if (/^RCPT TO:/i.test(line)) {
        this.recipients++;
        to = /<(.*?)>/.exec(line)?.[1] ?? '';
        say(this.rejection ?? '250 ok');
      } else if (/^DATA/i.test(line)) {
        data = [];
        say('354 go on');
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else say('250 ok');
    }
  }
}

function parseMail(from: string, to: string, lines: readonly string[]): ReceivedMail {
  const end = lines.indexOf('');
  const unfolded = lines
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const headers = Object.fromEntries(
    unfolded.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = lines.slice(end + 1).join('\n');
  const encoding = headers['content-transfer-encoding'] ?? '';
  return { from, to, headers, subject: decodeWords(headers.subject ?? ''), text: decodeBody(body, encoding) };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\n/g, '')) : body;
}

function decodeQuoted(text: string): string {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}

/** Decodes encoded words (RFC 2047). */
function decodeWords(text: string): string {
  return text.replace(/=\?utf-8\?([QB])\?(.*?)\?=(?: (?==\?))?/gi, (_, kind: string, word: string) =>
    kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
  );
}
