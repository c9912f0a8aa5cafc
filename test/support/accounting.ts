/** Checks that each finding is posted exactly once, at its line or in the list of the summary, and nothing else is. */
import { expect } from 'vitest';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { runGitBytes } from '../sim/forgejo/git.ts';
import { botBodies, inlineOf, summaryOf } from './story.ts';
import { REPO, type StoryWorld } from './story-world.ts';

export type Expected = { readonly path: string; readonly line: number; readonly side?: 'new' | 'old' };

const gitDirOf = ({ sim }: StoryWorld): string => {
  const repo = sim.world.repos.find(({ name, owner }) => `${owner.login}/${name}` === REPO);
  if (repo === undefined) throw new Error('the project is gone');
  return repo.gitDir;
};

/** One line of a file at a commit, with its carriage return if it has one; null when there is no such line. */
const lineAt = async (world: StoryWorld, commit: string, { path, line }: Expected): Promise<string | null> => {
  const content = await runGitBytes(gitDirOf(world), ['show', `${commit}:${path}`]);
  return content.toString('utf8').split('\n')[line - 1] ?? null;
};

const asText = ({ path, line, side = 'new' }: Expected): string => `${path}:${line} ${side}`;

/** The part of the summary that describes findings without a thread. */
const LISTED = /Additional notes|More findings/;

const listedIn = (world: StoryWorld, number: number): string => {
  const summary = botBodies(world, number)
    .map(stripMarkers)
    .find((body) => LISTED.test(body));
  return summary?.slice(summary.search(LISTED)) ?? '';
};

export const account = (world: StoryWorld, number: number, expected: readonly Expected[]) => {
  const { head } = world.sim.snapshot(REPO, number);
  const inline = inlineOf(world, number).filter(({ review }) => review === summaryOf(world, number).review);
  const places = new Set(inline.map(asText));
  const listed = listedIn(world, number);
  const isListed = ({ path, line }: Expected): boolean => listed.includes(`\`${path}:${line}\``);
  return {
    head,
    inline: inline.length,
    listed: expected.filter((each) => !places.has(asText(each)) && isListed(each)).length,
    lost: expected.filter((each) => !places.has(asText(each)) && !isListed(each)).map(asText),
    moved: inline.map(asText).filter((place) => !expected.some((each) => asText(each) === place)),
  };
};

/** Checks that the line at each inline comment matches what the finding is about. */
export const expectLines = async (world: StoryWorld, number: number, holds: RegExp): Promise<void> => {
  const { head } = world.sim.snapshot(REPO, number);
  for (const said of inlineOf(world, number)) {
    const text = await lineAt(world, head, said);
    expect({ said, text }).toEqual({ said, text: expect.stringMatching(holds) });
  }
};
