/** The whole loop without a human: rules review, a scripted author fixes, until nothing blocks or all rounds are used. */
import { afterEach, expect, test } from 'vitest';
import { type AuthorCommand, makeAuthorCommand, makeMessagesAuthor, UNCAGED } from '../support/author-command.ts';
import { findRepo } from '../sim/forgejo/find.ts';
import { runGit } from '../sim/forgejo/git.ts';
import { botBodies, commitBase, kindsOf, open, statusOf, summaryOf, textOf } from '../support/story.ts';
import { eventually, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const BAD = {
  'one.js': textOf('export const one = (text) => eval(text);'),
  'two.js': textOf('export const two = (text) => eval(text);'),
  'three.js': textOf('export const three = (text) => eval(text);'),
};

/** Fixes only the first two files. */
const MENDS_TWO = `
const files = [...new Set(input.findings.map((finding) => finding.path))].slice(0, 2);
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace('eval(text)', 'JSON.parse(text)'));
}
console.log(JSON.stringify({ addressed: input.findings.filter(({ path }) => files.includes(path)).map(({ id }) => id) }));
`;

/** Fixes nothing, and adds another defect each time. */
const MAKES_WORSE = `
const file = input.findings[0].path;
const text = fs.readFileSync(file, 'utf8');
fs.writeFileSync(file, text + 'export const again' + text.length + ' = (text) => eval(text + ' + text.length + ');\\n');
`;

/** Uses only messages. Fixes one finding first and declines the others with a reason; the next time fixes all. */
const SPEAKS_MESSAGES = `
const taken = body.round === 1 ? packet.findings.slice(0, 1) : packet.findings;
for (const { file } of taken) {
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('eval(text)', 'JSON.parse(text)'));
}
const rest = 'It is meant so for now. Closes #1 @everyone';
answer(body.round === 1 ? { addressed_finding_ids: [taken[0].id], changes_summary: rest } : {});
`;

let world: StoryWorld;
let author: AuthorCommand;

const begin = async (command: Promise<AuthorCommand>, more = UNCAGED): Promise<number> => {
  author = await command;
  world = await startStoryWorld({ more: `${author.toml}${more}` });
  await commitBase(world, { 'README.md': '# Shop\n' });
  return open(world, { branch: 'change', files: BAD });
};

afterEach(async () => {
  await world?.finish();
  await author?.dispose();
}, STORY_MS);

const messages = async (): Promise<readonly string[]> => {
  const { gitDir } = findRepo(world.sim.world, REPO);
  return (await runGit(gitDir, ['log', '-z', '--format=%B', 'refs/heads/change'])).split('\0');
};

test(
  'a change goes from its opening to lgtm in three rounds and two fixes without a human',
  async () => {
    const number = await begin(makeAuthorCommand(MENDS_TWO));
    await eventually('lgtm', () => statusOf(world, number) === 'success');
    await world.calm();
    const summary = summaryOf(world, number);
    expect([summary.verdict, summary.review, summary.fixes, summary.fixReview]).toEqual(['lgtm', 3, 2, 2]);
    expect(kindsOf(world, number).filter((kind) => kind === 'fix' || kind === 'handoff')).toEqual(['fix', 'fix']);
    const commits = (await messages()).filter((message) => message.startsWith('fix:'));
    expect(commits).toEqual([
      expect.stringMatching(
        /^fix: address findings of review 2\n\nFixpoint-Review: 2\nFixpoint-Finding: F-00\d\nFixpoint-Run: [0-9a-f]{20}\n$/,
      ),
      expect.stringMatching(
        /^fix: address findings of review 1\n\nFixpoint-Review: 1\nFixpoint-Finding: F-00\d\nFixpoint-Finding: F-00\d\nFixpoint-Run: [0-9a-f]{20}\n$/,
      ),
    ]);
  },
  STORY_MS,
);

test(
  'an author that makes things worse gets three reviews and two fixes, then one hand-off and no push',
  async () => {
    const number = await begin(makeAuthorCommand(MAKES_WORSE));
    await eventually('the hand-off', () => kindsOf(world, number).includes('handoff'));
    await world.calm();
    await world.sweep();
    await world.sweep();
    const summary = summaryOf(world, number);
    expect([summary.verdict, summary.review, summary.runs, summary.fixes]).toEqual(['feedback', 3, 3, 2]);
    expect(kindsOf(world, number).filter((kind) => kind === 'handoff')).toHaveLength(1);
    expect((await messages()).filter((message) => message.startsWith('fix:'))).toHaveLength(2);
    expect(world.sim.pullAt({ repo: REPO, number }).heads).toHaveLength(3);
    expect(world.sim.quickActions).toEqual([]);
  },
  STORY_MS,
);

test(
  'an author that has no cage mends nothing: one hand-off says what to do',
  async () => {
    // No machine can build this cage.
    const number = await begin(makeAuthorCommand(MENDS_TWO), '[sandbox]\nread_only_paths = ["/nowhere"]\n');
    await eventually('the hand-off', () => kindsOf(world, number).includes('handoff'));
    await world.calm();
    expect(kindsOf(world, number).filter((kind) => kind === 'fix' || kind === 'handoff')).toEqual(['handoff']);
    expect(botBodies(world, number).join('\n')).toContain(
      'ended without a push: the author needs a cage, which is not available: install bubblewrap ' +
        '(`fixpoint doctor` shows what is missing), or set `sandbox.backend = "none"` to allow the author to work without a cage ' +
        '(`NO_CAGE`). The findings of review 1 remain open.',
    );
    expect(world.sim.pullAt({ repo: REPO, number }).heads).toHaveLength(1);
  },
  STORY_MS,
);

test(
  'an author that only speaks messages fixes and declines by them, until nothing blocks',
  async () => {
    const number = await begin(makeMessagesAuthor(SPEAKS_MESSAGES));
    await eventually('lgtm', () => statusOf(world, number) === 'success');
    await world.calm();
    const summary = summaryOf(world, number);
    expect([summary.verdict, summary.review, summary.fixes]).toEqual(['lgtm', 3, 2]);
    const said = kindsOf(world, number).filter((kind) => ['fix', 'handoff', 'decline'].includes(kind));
    expect(said.toSorted()).toEqual(['decline', 'decline', 'fix', 'fix']);
    const declined = botBodies(world, number).filter((each) => each.includes('It is meant so for now'));
    expect(declined).toHaveLength(2);
    for (const each of declined) expect(each).not.toMatch(/(?<![\\`\u200b&])@everyone/);
    const { gitDir } = findRepo(world.sim.world, REPO);
    const touched = await runGit(gitDir, ['diff', '--name-only', 'main', 'refs/heads/change']);
    expect(touched.trim().split('\n').toSorted()).toEqual(Object.keys(BAD).toSorted());
  },
  STORY_MS,
);
