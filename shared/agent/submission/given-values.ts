/** Schemas for single values of a finding, which accept the spellings that models use. */
import { z } from 'zod';
import { Severity } from '../../vocabulary/finding.ts';
import { plainPath } from './plain-path.ts';

const NUMBER = /^\s*[Ll#]{0,2}(\d{1,9})\s*$/;

/** Models sometimes write numbers as strings, or as `L12`; only whole numbers are accepted. */
export const GivenLine = z.preprocess((value) => {
  const [, digits] = typeof value === 'string' ? (NUMBER.exec(value) ?? []) : [];
  return digits === undefined ? value : Number(digits);
}, z.int().positive().max(10_000_000));

const RANGE = /^\s*[Ll#]{0,2}(\d{1,9})\s*[-–:]\s*[Ll]?(\d{1,9})\s*$/;

/** Reads `9-12` or `L9-L12`. Null if the value is not a range. */
export const readRange = (value: unknown): readonly [string, string] | null => {
  const [, first, last] = typeof value === 'string' ? (RANGE.exec(value) ?? []) : [];
  return first === undefined || last === undefined ? null : [first, last];
};

/** A quote's line only says where the quote begins. */
export const GivenFirstLine = z.preprocess((value) => readRange(value)?.[0] ?? value, GivenLine);

const SIDES: Readonly<Record<string, string>> = { RIGHT: 'new', LEFT: 'old', head: 'new', base: 'old' };

export const GivenSide = z.preprocess(
  (value) => (typeof value === 'string' ? (SIDES[value] ?? value) : value),
  z.enum(['new', 'old']),
);

const SEVERITIES: Readonly<Record<string, string>> = {
  critical: 'P0',
  blocker: 'P0',
  high: 'P1',
  major: 'P1',
  error: 'P1',
  medium: 'P2',
  moderate: 'P2',
  warning: 'P2',
  low: 'P3',
  minor: 'P3',
  trivial: 'P3',
  info: 'P3',
  nit: 'P3',
};

export const GivenSeverity = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  const word = value.trim().toLowerCase();
  return SEVERITIES[word] ?? (/^p[0-3]$/.test(word) ? word.toUpperCase() : value);
}, Severity);

export const GivenPath = z.preprocess((value) => (typeof value === 'string' ? plainPath(value) : value), z.string());

const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };

export const GivenBoolean = z.preprocess(
  (value) => (typeof value === 'string' ? (WORDS[value.trim().toLowerCase()] ?? value) : value),
  z.boolean(),
);
