/**
 * Caches the records of API keys in two arrays of numbers: 64 bytes a key and 8 to find it. As objects they would take six
 * times as much, and the garbage collector would visit each of them.
 */
import type { SubscriptionStatus } from '../database/tables.ts';
import type { ApiKeyRecord, CachedApiKey } from './account-record.ts';

/** 16 MiB of records, which take real memory only as they are filled. */
const defaultCapacity = 262_144;

// One record: the words of its hash, its numbers, and from an even word on two floats.
const recordWords = 16;
const hashWords = 8;
const userWord = 8;
const changeWord = 9;
const flagsAndPlanWord = 10;
const periodEndFloat = 6;
const legacyExpiryFloat = 7;

const isUsed = 1;
const isLegacy = 2;
const hasSubscription = 4;
const statusShift = 4;
const statusMask = 0xf;
const planShift = 16;
const statuses: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due', 'canceled', 'expired'];

/** A slot of the index is the number of a record, counted from 1, and bits of its hash. */
const numberBits = 20;
const numberMask = (1 << numberBits) - 1;

/**
 * Users are told apart by 18 bits of a hash: a change of one also drops the keys of the few others that share them, about
 * four of a million accounts. The counts take 1 MiB.
 */
const userGroups = 262_144;
/** As many as have a number of 16 bits. */
const maxPlans = 65_536;

/** How many records an eviction looks at before it takes one that was used. */
const maxLooks = 64;

/** A hash is a text of 32 characters, one for each byte of the SHA-256. */
export class ApiKeyCache {
  readonly #capacity: number;
  readonly #slotMask: number;
  readonly #words: Uint32Array;
  readonly #floats: Float64Array;
  readonly #slots: Uint32Array;
  /** How often a user of the group was changed. A record of an earlier count is out of date. */
  readonly #changes = new Uint32Array(userGroups);
  readonly #wanted = new Uint32Array(hashWords);
  readonly #planNumbers = new Map<string, number>();
  readonly #plans: string[] = [];
  #count = 0;
  #hand = 0;

  constructor(capacity: number = defaultCapacity) {
    this.#capacity = capacity;
    const slotCount = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#slotMask = slotCount - 1;
    this.#slots = new Uint32Array(slotCount);
    const bytes = new ArrayBuffer(capacity * recordWords * Uint32Array.BYTES_PER_ELEMENT);
    this.#words = new Uint32Array(bytes);
    this.#floats = new Float64Array(bytes);
  }

  get(hash: string): CachedApiKey | undefined {
    this.#readHash(hash);
    const record = (this.#slots[this.#findSlot()] ?? 0) & numberMask;
    if (record === 0) return undefined;
    const words = this.#words;
    const at = (record - 1) * recordWords;
    if (words[at + changeWord] !== this.#changes[words[at + userWord] ?? 0]) return undefined;
    const flagsAndPlan = words[at + flagsAndPlanWord] ?? 0;
    if ((flagsAndPlan & isUsed) === 0) words[at + flagsAndPlanWord] = flagsAndPlan | isUsed;
    return this.#toRecord(at / 2, flagsAndPlan);
  }

  set(hash: string, record: ApiKeyRecord): void {
    if (this.#plans.length === maxPlans) this.clear();
    this.#readHash(hash);
    const slot = this.#findSlot();
    let number = (this.#slots[slot] ?? 0) & numberMask;
    if (number === 0) {
      number = this.#count < this.#capacity ? ++this.#count : this.#evict();
      // An eviction may have moved what the slot is next to.
      this.#slots[this.#findSlot()] = ((this.#tag() << numberBits) | number) >>> 0;
    }
    this.#write((number - 1) * recordWords, record);
  }

  /** Drops the keys of the user, in no more time than it takes to count. */
  deleteOf(userId: string): void {
    const group = groupOf(userId);
    this.#changes[group] = (this.#changes[group] ?? 0) + 1;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
    this.#hand = 0;
    this.#planNumbers.clear();
    this.#plans.length = 0;
  }

  #readHash(hash: string): void {
    const wanted = this.#wanted;
    for (let word = 0, byte = 0; word < hashWords; word++, byte += 4) {
      wanted[word] =
        hash.charCodeAt(byte) |
        (hash.charCodeAt(byte + 1) << 8) |
        (hash.charCodeAt(byte + 2) << 16) |
        (hash.charCodeAt(byte + 3) << 24);
    }
  }

  /** The bits of the wanted hash that its slot has. */
  #tag(): number {
    return (this.#wanted[1] ?? 0) >>> numberBits;
  }

  /** The slot of the wanted hash, or the empty one that it can have. */
  #findSlot(): number {
    const [slots, mask, tag] = [this.#slots, this.#slotMask, this.#tag()];
    let slot = (this.#wanted[0] ?? 0) & mask;
    for (let entry = slots[slot] ?? 0; entry !== 0; entry = slots[slot] ?? 0) {
      if (entry >>> numberBits === tag && this.#isWanted(((entry & numberMask) - 1) * recordWords)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isWanted(at: number): boolean {
    const [words, wanted] = [this.#words, this.#wanted];
    for (let word = 0; word < hashWords; word++) if (words[at + word] !== wanted[word]) return false;
    return true;
  }

  #toRecord(floatsAt: number, flagsAndPlan: number): CachedApiKey {
    const legacyExpiresAtMs = this.#floats[floatsAt + legacyExpiryFloat] ?? Number.NaN;
    return {
      is_legacy: (flagsAndPlan & isLegacy) === 0 ? 0 : 1,
      legacy_expires_at_ms: Number.isNaN(legacyExpiresAtMs) ? null : legacyExpiresAtMs,
      subscription:
        (flagsAndPlan & hasSubscription) === 0
          ? undefined
          : {
              plan: this.#plans[flagsAndPlan >>> planShift] ?? '',
              status: statuses[(flagsAndPlan >>> statusShift) & statusMask] ?? 'expired',
              current_period_end_ms: this.#floats[floatsAt + periodEndFloat] ?? 0,
            },
    };
  }

  #write(at: number, record: ApiKeyRecord): void {
    const { subscription } = record;
    const group = groupOf(record.userId);
    const words = this.#words;
    words.set(this.#wanted, at);
    words[at + userWord] = group;
    words[at + changeWord] = this.#changes[group] ?? 0;
    words[at + flagsAndPlanWord] =
      (record.is_legacy === 1 ? isLegacy : 0) |
      (subscription
        ? hasSubscription |
          (statuses.indexOf(subscription.status) << statusShift) |
          (this.#numberOfPlan(subscription.plan) << planShift)
        : 0);
    this.#floats[at / 2 + periodEndFloat] = subscription?.current_period_end_ms ?? 0;
    this.#floats[at / 2 + legacyExpiryFloat] = record.legacy_expires_at_ms ?? Number.NaN;
  }

  #numberOfPlan(plan: string): number {
    const known = this.#planNumbers.get(plan);
    if (known !== undefined) return known;
    const number = this.#plans.push(plan) - 1;
    this.#planNumbers.set(plan, number);
    return number;
  }

  /** Makes room in place of a record that was not read since the hand passed it last (the clock algorithm). */
  #evict(): number {
    for (let looks = 1; ; looks++) {
      const number = this.#hand + 1;
      const flagsAt = this.#hand * recordWords + flagsAndPlanWord;
      this.#hand = number % this.#capacity;
      const flags = this.#words[flagsAt] ?? 0;
      if ((flags & isUsed) === 0 || looks === maxLooks) {
        this.#removeSlot(number);
        return number;
      }
      this.#words[flagsAt] = flags & ~isUsed;
    }
  }

  /** Empties the slot of a record, and moves those behind it that could not be found any more. */
  #removeSlot(number: number): void {
    const [slots, mask] = [this.#slots, this.#slotMask];
    let empty = this.#homeOf(number);
    while (((slots[empty] ?? 0) & numberMask) !== number) empty = (empty + 1) & mask;
    for (let slot = (empty + 1) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      const distance = (slot - this.#homeOf(entry & numberMask)) & mask;
      if (distance < ((slot - empty) & mask)) continue;
      slots[empty] = entry;
      empty = slot;
    }
    slots[empty] = 0;
  }

  /** Where the search for the record begins. */
  #homeOf(number: number): number {
    return (this.#words[(number - 1) * recordWords] ?? 0) & this.#slotMask;
  }
}

/** FNV-1a, folded. */
function groupOf(userId: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < userId.length; index++) hash = Math.imul(hash ^ userId.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (userGroups - 1);
}
