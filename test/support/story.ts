import { z } from 'zod';
import type { FindingMarker, MarkerPayload, SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { FileMap } from '../sim/forgejo/git.ts';
import { AUTHOR, BOT, OWNER, type StoryWorld } from './story-world.ts';

/** What the functions of this file need of a world. */
export type StoryPlace = Pick<StoryWorld, 'sim' | 'repo' | 'calm' | 'markerSecret'>;

export const textOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

export const commitBase = async ({ sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>, files: FileMap): Promise<void> => {
  await sim.commitFiles({ repo, branch: 'main', files, message: 'Begin\n', author: OWNER });
};

export const push = async (
  { sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>,
  branch: string,
  files: FileMap,
): Promise<string> => sim.commitFiles({ repo, branch, files, message: `Change ${branch}\n`, author: AUTHOR });

export type Opening = {
  readonly branch: string;
  readonly files: FileMap;
  readonly title?: string;
  readonly base?: string;
  readonly author?: string;
};

export const open = async (world: StoryPlace, { branch, files, title, base, author }: Opening): Promise<number> => {
  await push(world, branch, files);
  const pull = await world.sim.openPullRequest({
    repo: world.repo,
    head: branch,
    title: title ?? `Change ${branch}`,
    author: author ?? AUTHOR,
    ...(base === undefined ? {} : { base }),
  });
  return pull.number;
};

export const statusOf = ({ sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>, number: number): string | undefined =>
  sim.snapshot(repo, number).headStatuses['fixpoint'];

const VERDICT_MS = 60_000;

/** Waits for a final status: it is written last. */
/** Waits until the status is final and no job is active. A review that failed may have left no summary. */
export const finalStatusOf = async (world: StoryPlace, number: number): Promise<string | undefined> => {
  const stands = (): boolean => !['pending', undefined].includes(statusOf(world, number));
  await world.sim.until(stands, VERDICT_MS);
  await world.calm();
  return statusOf(world, number);
};

/** Waits as `finalStatusOf`. */
export const verdictOf = async (world: StoryPlace, number: number): Promise<string> => {
  await finalStatusOf(world, number);
  return summaryOf(world, number).verdict ?? 'none';
};

/** Opens a change request with one file, named after its branch, and waits for its verdict. */
export const reviewed = async (world: StoryPlace, branch: string, content: string): Promise<number> => {
  const number = await open(world, { branch, files: { [`${branch}.js`]: content } });
  await verdictOf(world, number);
  return number;
};

export const firstFinding = ({ sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>, number: number): number => {
  const said = sim.pullAt({ repo, number }).comments;
  const found = said.find(({ author, code }) => author.login === BOT && code !== null);
  if (found === undefined) throw new Error('no finding stands inline');
  return found.id;
};

/** Replies in the thread of the bot's first finding, and waits until no job is active. */
export const answerFinding = async (
  world: StoryPlace,
  number: number,
  { body, as = AUTHOR }: { readonly body: string; readonly as?: string },
): Promise<void> => {
  await world.sim.replyInline({ repo: world.repo, number, as, to: firstFinding(world, number), body });
  await world.calm();
};

const markersIn = (world: StoryPlace, bodies: readonly string[]): readonly MarkerPayload[] =>
  bodies
    .flatMap((body) => readMarkers(body, [world.markerSecret]))
    .flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : []));

export const botBodies = ({ sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>, number: number): readonly string[] => {
  const { comments, reviews } = sim.snapshot(repo, number);
  return [
    ...comments.filter(({ author }) => author === BOT).map(({ body }) => body),
    ...reviews
      .filter(({ author }) => author === BOT)
      .flatMap(({ body, inline }) => [body, ...inline.map((each) => each.body)]),
  ];
};

export const summaryOf = (world: StoryPlace, number: number): SummaryMarker => {
  const found = markersIn(world, botBodies(world, number)).filter((payload) => payload.kind === 'summary');
  const [summary] = found;
  if (summary === undefined || found.length > 1) throw new Error(`${found.length} summaries instead of one`);
  return summary;
};

export type Said = Pick<FindingMarker, 'id' | 'path' | 'line' | 'side' | 'review' | 'state' | 'rule'>;

/** The bot's inline comments: the place is the forge's, the rest is from the marker. */
export const inlineOf = (world: StoryPlace, number: number): readonly Said[] =>
  world.sim
    .snapshot(world.repo, number)
    .reviews.flatMap(({ inline }) => inline)
    .filter(({ author }) => author === BOT)
    .flatMap(({ path, line, side, body }) => {
      const [marker] = markersIn(world, [body]).filter((payload) => payload.kind === 'finding');
      if (marker === undefined) return [];
      const { id, review, state, rule } = marker;
      return [{ id, path, line, side, review, state, rule }];
    });

export const kindsOf = (world: StoryPlace, number: number): readonly string[] =>
  markersIn(world, botBodies(world, number)).map(({ kind }) => kind);

export const runsOf = async (world: StoryWorld, number: number): Promise<number> =>
  (await world.decisions(number)).filter(({ effect }) => effect === 'announce').length;

export const repliesOf = (world: StoryPlace, number: number) =>
  markersIn(world, botBodies(world, number)).flatMap((payload) => {
    if (payload.kind !== 'reply') return [];
    const { review, id, action, count } = payload;
    return [{ review, id, action, count }];
  });

/** As an administrator of the project does. */
export const switchHooksOff = async ({ sim, repo }: Pick<StoryPlace, 'sim' | 'repo'>): Promise<void> => {
  const token = sim.createToken(OWNER, ['write:repository']);
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' };
  const hooks = `${sim.url}/api/v1/repos/${repo}/hooks`;
  const listed = z.array(z.object({ id: z.number() })).parse(await (await fetch(hooks, { headers })).json());
  for (const { id } of listed) {
    const answer = await fetch(`${hooks}/${id}`, { method: 'PATCH', headers, body: '{"active":false}' });
    if (!answer.ok) throw new Error(`the webhook stays active: ${answer.status}`);
  }
};
