/**
 * What every parser of a stranger's text costs when the text doubles: quotients of CPU time, per parser and kind of text.
 * What is over the goal, and the slowest of each parser at its largest, are measured again with more care.
 */
import { createHash } from 'node:crypto';
import { shuffled } from '../acceptance/shuffled.ts';
import { ADVERSARIAL, type Adversarial, repeated } from '../support/adversarial-texts.ts';
import { double, type Doubled, type Doubling, type Read } from '../support/doubling.ts';
import { LINEAR_SUBJECTS, type LinearSubject } from '../support/linear-subjects.ts';
import { median } from './numbers.ts';

const GOAL = 2.3;
const KI = 1024;
const FIRST: Doubling = { first: 2 * KI, most: 512 * KI, enoughMs: 0.6, runs: 2 };
/** Programs: their time is counted in ticks of 10 ms, and starting one takes some hundred. */
const FIRST_OF_PROGRAMS: Doubling = { first: 64 * KI, most: 256 * KI, enoughMs: 300, runs: 1 };
const CAREFUL_RUNS = 5;
/** Of each parser, by the time that a character takes. */
const SLOWEST = 3;
const PROGRAMS_READ = 6;

/** As large as a text gets to make sure. */
const LARGEST = 8 * KI * KI;
/** So slow a reading shows what it is. */
const LONG_MS = 150;
/** CPU time for one parser: a slow one gets a part of the texts, another one for each. */
const BUDGET_MS = 2_500;

type Row = Doubled & { readonly text: Adversarial };

const isOver = ({ ratio }: Row): boolean => (ratio ?? 0) > GOAL;

const doublingFor = ({ most = Number.POSITIVE_INFINITY, spawns }: LinearSubject): Doubling => {
  const basis = spawns === true ? FIRST_OF_PROGRAMS : FIRST;
  const largest = Math.min(basis.most, most);
  return { ...basis, most: largest, first: Math.min(basis.first, Math.floor(largest / 8)) };
};

/**
 * What grows faster than its text does so at every size; chance, the compiler and the collector of garbage do not. So what
 * is over the goal is measured again at twice the size, until it takes long or is no longer over.
 */
const settled = async (subject: LinearSubject, row: Row, doubling: Doubling): Promise<Row> => {
  const largest = Math.min(LARGEST, subject.most ?? LARGEST);
  let last = row;
  for (let characters = row.characters; isOver(last) && 2 * characters <= largest; characters *= 2) {
    const careful = { ...doubling, first: characters, enoughMs: 0, runs: CAREFUL_RUNS };
    last = { ...(await double(subject.read, row.text.make, careful, subject.spawns)), text: row.text };
    if (last.ms >= LONG_MS) break;
  }
  return last;
};

/** At the largest size that does not take long: what grows faster than its text shows there at the latest. */
const atLargest = async (subject: LinearSubject, { text, ms, characters }: Row, doubling: Doubling): Promise<Row> => {
  const affordable = Math.floor(characters * Math.max(1, LONG_MS / 2 / Math.max(ms, 0.01)));
  const first = Math.min(Math.floor(doubling.most / 2), affordable);
  const at = { ...doubling, first, enoughMs: 0 };
  return { ...(await double(subject.read, text.make, at, subject.spawns)), text };
};

const perCharacter = ({ ms, characters }: Row): number => ms / characters;

const textsFor = ({ name, spawns }: LinearSubject): readonly Adversarial[] => {
  const texts = shuffled(ADVERSARIAL, createHash('sha256').update(name).digest().readUInt16LE());
  return spawns === true ? texts.slice(0, PROGRAMS_READ) : texts;
};

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const measure = async (subject: LinearSubject): Promise<readonly Row[]> => {
  const doubling = doublingFor(subject);
  await subject.read(repeated('to warm it up ', doubling.first));
  const rows: Row[] = [];
  const begunAt = usedMs();
  for (const text of textsFor(subject)) {
    if (usedMs() - begunAt >= BUDGET_MS) break;
    const row = { ...(await double(subject.read, text.make, doubling, subject.spawns)), text };
    rows.push(await settled(subject, row, doubling));
  }
  if (subject.spawns === true) return rows;
  const slowest = rows.toSorted((one, other) => perCharacter(other) - perCharacter(one)).slice(0, SLOWEST);
  for (const row of slowest) rows.push(await settled(subject, await atLargest(subject, row, doubling), doubling));
  return rows;
};

const shown = ({ ratio, ms, characters, text }: Row): string =>
  `${ratio?.toFixed(2) ?? '-'} at ${Math.round(characters / KI)} Ki, ${ms.toFixed(1)} ms: ${text.name.slice(0, 60)}`;

const print = (name: string, rows: readonly Row[]): void => {
  const ratios = rows.flatMap(({ ratio }) => ratio ?? []);
  const cells = ratios.length === 0 ? [] : [Math.min(...ratios), median(ratios), Math.max(...ratios)];
  const worst = rows.toSorted((one, other) => (other.ratio ?? 0) - (one.ratio ?? 0))[0];
  const numbers = cells.map((ratio) => ratio.toFixed(2).padStart(6)).join('');
  console.log(
    `${name.padEnd(32)}${String(ratios.length).padStart(4)} of ${String(rows.length).padStart(3)}${numbers.padEnd(18)}  ${worst === undefined ? '' : shown(worst)}`,
  );
  for (const row of rows) if (isOver(row)) console.log(`  OVER ${shown(row)}`);
};

/** That the figures can be believed: what is known to double and to quadruple does so here. */
const CHECKS: readonly { readonly name: string; readonly read: Read; readonly expected: string }[] = [
  { name: 'known to be linear', read: (text) => text.replaceAll(/[a-z]/g, '-').length, expected: 'about 2' },
  { name: 'known to be quadratic', read: (text) => /a+b/.test('a'.repeat(text.length / 8)), expected: 'about 4' },
];

const check = async (): Promise<void> => {
  for (const { name, read, expected } of CHECKS) {
    const at = { ...FIRST, first: 64 * KI, most: 64 * KI, enoughMs: 0, runs: CAREFUL_RUNS };
    const { ratio } = await double(read, (characters) => 'a'.repeat(characters), at);
    console.log(`${name.padEnd(32)} ratio ${ratio?.toFixed(2) ?? '-'}, expected ${expected}`);
  }
};

export const benchLinear = async (): Promise<void> => {
  console.log(`\nCPU time for twice the text, least of several readings; goal ${GOAL}`);
  await check();
  console.log(`\n${'parser'.padEnd(32)}texts that take time, and least, median and largest ratio; then the largest`);
  const all: Row[] = [];
  for (const subject of LINEAR_SUBJECTS) {
    const rows = await measure(subject);
    print(subject.name, rows);
    all.push(...rows);
  }
  const over = all.filter(isOver).length;
  const quick = all.filter(({ ratio }) => ratio === null).length;
  console.log(`\n${all.length} pairs of parser and text: ${quick} too quick for a ratio, ${over} over ${GOAL}`);
};
