/** A repository of a reader: a branch whose change is right, and another right change that is staged. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const AS = ['-c', 'user.name=Reader', '-c', 'user.email=reader@localhost'];

export const makeSample = (folder: string): string => {
  mkdirSync(folder);
  const git = (...args: readonly string[]): void => void execFileSync('git', [...AS, ...args], { cwd: folder });
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  git('init', '--quiet', '--initial-branch=main');
  write('sum.js', 'export const sum = (a, b) => a + b;\n');
  git('add', '.');
  git('commit', '--quiet', '--message=Begin');
  git('switch', '--quiet', '--create', 'topic');
  write('sum.js', 'export const sum = (a, b, c = 0) => a + b + c;\n');
  git('commit', '--quiet', '--all', '--message=Take a third number');
  write('half.js', 'export const half = (a) => a / 2;\n');
  git('add', '.');
  return folder;
};
