import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readableLine } from '../../../../services/cli/up/readable-line.ts';
import { createLogger } from '../../../../shared/logger.ts';

const plain = { colour: false };

const logged = (write: (log: ReturnType<typeof createLogger>) => void): string => {
  const lines: string[] = [];
  write(
    createLogger({ service: 'guard', level: 'debug', to: { write: (line) => void lines.push(line) }, secrets: [] }),
  );
  return lines.join('').trimEnd();
};

it('has time, service, level, message and fields in one row', () => {
  const line = logged((log) => log.info({ forge: 'lab', project: 7, words: 'a b', list: [1] }, 'decided'));
  expect(readableLine(line, plain)).toMatch(
    /^\d\d:\d\d:\d\d guard {4}info {2}decided forge=lab project=7 words="a b" list=\[1\]$/,
  );
});

it('has the message and the code of an error, without its stack', () => {
  const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const line = logged((log) => log.error({ err: error, forge: 'lab' }, 'no answer'));
  expect(readableLine(line, plain)).toMatch(/ error no answer \(refused, ECONNREFUSED\) forge=lab$/);
});

it('shows what is no line of the log as it is, without what a terminal would obey', () => {
  expect(readableLine('Node.js v20', plain)).toBe('Node.js v20');
  expect(readableLine('{"level":"info"}', plain)).toBe('{"level":"info"}');
  expect(readableLine('\u001B[2J{', plain)).not.toContain('\u001B');
});

it('holds nothing that a terminal would obey, wherever it stands', () => {
  const line = logged((log) => log.warn({ title: 'a\u001B[2J\r\nb', 'k\u0007': 1 }, 'm\u001B]8;;x\u0007\n2'));
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  expect(readableLine(line, plain)).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
});

it('has colours only when they are wanted, and then the same words', () => {
  const line = logged((log) => log.warn({ forge: 'lab' }, 'later'));
  const coloured = readableLine(line, { colour: true });
  expect(coloured).toContain('\u001B[33m');
  expect(stripVTControlCharacters(coloured)).toBe(readableLine(line, plain));
});
