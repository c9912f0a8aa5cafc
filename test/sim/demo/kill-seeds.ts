/** The change request during whose review the poster is killed: six defects, each in a place of its own. */
import type { FileMap } from '../forgejo/git.ts';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

export const KILL_DEFECTS = 6;

/** `attempt` keeps the files of several change requests apart. */
export const killFiles = (attempt: number): FileMap => ({
  [`gifts-${attempt}/card.js`]: lines(
    'export const value = (text) => {',
    '  return eval(text);',
    '};',
    '',
    'export const save = async (card, store) => {',
    '  try {',
    '    await store(card);',
    '  } catch (error) {',
    '  }',
    '};',
  ),
  [`gifts-${attempt}/print.js`]: lines(
    'export const print = (template) => {',
    '  const render = new Function(template);',
    '  debugger;',
    '  return render();',
    '};',
  ),
  [`gifts-${attempt}/load.py`]: lines('import pickle', '', '', 'def load(data):', '    return pickle.loads(data)'),
  [`gifts-${attempt}/send.sh`]: lines('#!/bin/sh', 'set -eu', 'curl --insecure https://shop.example/gifts'),
});
