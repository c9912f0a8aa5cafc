import { GitlabRefusal, rubyHash } from './errors.ts';
import { type Awarded, fireEmoji } from './payload-notes.ts';
import { logOn, nextId } from './log.ts';
import type { SimAward, SimUser, World } from './world.ts';

/** Some of the real emoji names (GL app/models/award_emoji.rb, `gitlab/emoji_name`: TanukiEmoji). */
const known: ReadonlySet<string> = new Set(
  'thumbsup thumbsdown thumbsup_tone2 +1 -1 eyes confused heart tada rocket smile laughing white_check_mark x warning fire clap'.split(
    ' ',
  ),
);

export const awardsOf = (on: Awarded): SimAward[] => (on.note ?? on.mr).awards;

/** The same emoji twice by one user is a 404 (forges.md 3.7). */
export const awardNamed = async (world: World, on: Awarded, user: SimUser, name: string): Promise<SimAward> => {
  const awards = awardsOf(on);
  const refuse = (errors: Record<string, readonly string[]>): GitlabRefusal =>
    new GitlabRefusal(404, { message: `404 Award Emoji ${rubyHash(errors)} Not Found` });
  if (!known.has(name)) throw refuse({ name: ['is not a valid emoji name'] });
  if (awards.some((award) => award.user === user && award.name === name))
    throw refuse({ name: ['has already been taken'] });
  const award: SimAward = { id: nextId(world, 'award'), name, user, createdAt: world.clock() };
  awards.push(award);
  logOn(world, on.mr, user, { kind: 'award.create', detail: { name, note: on.note?.id ?? null } });
  await fireEmoji(world, on, award, 'award');
  return award;
};

export const removeAward = async (world: World, on: Awarded, award: SimAward): Promise<void> => {
  const awards = awardsOf(on);
  awards.splice(awards.indexOf(award), 1);
  logOn(world, on.mr, award.user, { kind: 'award.delete', detail: { name: award.name, note: on.note?.id ?? null } });
  await fireEmoji(world, on, award, 'revoke');
};
