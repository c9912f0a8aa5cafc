import { MergeRequestNoteAwardEmojis } from '@gitbeaker/rest';
import type { z } from 'zod';
import type { GivenThumb, ReadsThumbs } from '../port-reactions.ts';
import { readableItems } from '../readable-items.ts';
import type { GitlabContext } from './api/context.ts';
import { orNull } from './api/or-null.ts';
import { ApiAward } from './api/schema.ts';

/** Skin tones have names of their own (`thumbsup_tone1` to `_tone5`). GitLab itself counts only the plain name as a vote. */
const THUMB = /^thumbs(up|down)(?:_tone[1-5])?$/;

const thumbOf = ({ name, user }: z.output<typeof ApiAward>): readonly GivenThumb[] => {
  const [, direction] = THUMB.exec(name) ?? [];
  if (direction === undefined) return [];
  return [{ accountId: user?.id ?? null, thumb: direction === 'up' ? 'up' : 'down' }];
};

/** GET .../notes/:note_id/award_emoji: https://docs.gitlab.com/api/emoji_reactions/ */
export const readsThumbs = ({ api }: GitlabContext): ReadsThumbs => ({
  fetchThumbs: async (of, commentId, signal) => {
    const awards = await orNull(
      api.read(readableItems(ApiAward), signal, (options) =>
        new MergeRequestNoteAwardEmojis(options).all(of.projectId, of.number, Number(commentId), {
          page: 1,
          perPage: 100,
        }),
      ),
    );
    return (awards ?? []).flatMap(thumbOf);
  },
});
