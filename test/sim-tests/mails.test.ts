/** Which deeds of a bot send mail, by the rule of each forge. Sources: the rows `writes mail.…` of each `PROOF.md`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FORGE_KINDS, type FleetSim, handsOn, startSim } from '../support/fleet-forge.ts';
import { type Deed, deedsOn } from './mail-deeds.ts';

const MAILS: Readonly<Record<Deed, { readonly forgejo: number; readonly gitea: number; readonly gitlab: number }>> = {
  'creates a comment': { forgejo: 1, gitea: 1, gitlab: 1 },
  'edits a comment': { forgejo: 0, gitea: 0, gitlab: 0 },
  'deletes a comment': { forgejo: 0, gitea: 0, gitlab: 0 },
  'reacts to a comment': { forgejo: 0, gitea: 0, gitlab: 0 },
  'submits three comments as one review': { forgejo: 1, gitea: 1, gitlab: 1 },
  'publishes one comment on a line': { forgejo: 1, gitea: 1, gitlab: 1 },
  'answers in a thread': { forgejo: 0, gitea: 1, gitlab: 1 },
  'edits a comment on a line': { forgejo: 0, gitea: 0, gitlab: 0 },
  'resolves one of two threads': { forgejo: 0, gitea: 0, gitlab: 0 },
  'resolves the last thread': { forgejo: 0, gitea: 0, gitlab: 1 },
  'writes a status': { forgejo: 0, gitea: 0, gitlab: 0 },
};

describe.each(FORGE_KINDS)('on %s', (kind) => {
  let folder: string;
  let sim: FleetSim;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-mails-'));
    sim = await startSim(kind, { dataDir: folder });
  });
  afterEach(async () => {
    await sim.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(MAILS))('a bot that %s', async (deed, { [kind]: expected }) => {
    const hands = handsOn(sim);
    const { repos, tokens } = await hands.furnish({ owner: 'team', author: 'author', bot: 'bot', names: ['shop'] });
    const [repo = ''] = repos;
    await hands.commit({ repo, branch: 'main', files: { 'a.txt': 'one\n' }, message: 'a', author: 'team' });
    await hands.commit({
      repo,
      branch: 'work',
      files: { 'a.txt': 'one\ntwo\nthree\nfour\n' },
      message: 'b',
      author: 'author',
    });
    const number = await hands.open({ repo, branch: 'work', title: 'Work', author: 'author' });
    const deeds = deedsOn(sim, { kind, repo, number, token: tokens.post });
    // The keys of the table are the deeds.
    const { prepare, act } = deeds[deed as Deed];
    await prepare();
    const before = sim.mails.length;
    await act();
    const mails = sim.mails.slice(before).filter(({ by }) => by === 'bot');
    expect(mails.map(({ to }) => to)).toEqual(Array.from({ length: expected }, () => ['author']));
  });
});
