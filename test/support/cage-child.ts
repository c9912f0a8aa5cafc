/**
 * A program that creates a cage: `check FOLDER` prints whether there is one, `print FOLDER SCRIPT` the output of a Perl
 * script in it, and `hold FOLDER TOKEN` runs a waiting program in it until it is killed.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findCage } from '../../shared/workspace/cage/find-cage.ts';
import { cageWish } from './cage.ts';

const [what = '', folder = '', word = ''] = process.argv.slice(2);
const signal = new AbortController().signal;
const found = await findCage(cageWish(folder), signal);
const say = (text: string): void => void process.stdout.write(text);

if (found.kind === 'none' || what === 'check') {
  say(JSON.stringify({ uid: process.getuid?.(), ...(found.kind === 'none' ? found : { kind: found.kind }) }));
} else {
  const workspace = join(folder, 'child');
  mkdirSync(workspace);
  chmodSync(workspace, 0o755);
  const perl = ['/usr/bin/perl', '-e'] as const;
  if (what === 'print') {
    const limits = { timeoutMs: 20_000, outputBytes: 64 * 1024 };
    const { stdout } = await found.cage.run([...perl, word], { workspace, signal, ...limits });
    say(stdout.toString('utf8'));
  } else {
    found.cage
      .start([...perl, `$| = 1; print "held\\n"; sleep 1000000000; # ${word}`], { workspace })
      .child.stdout.pipe(process.stdout);
  }
}
