/** Names the finding at the beginning of each answer if several answers share a comment. */
import type { PlannedReply } from '../../model/posting/post-plan.ts';

export const isResolution = (marker: PlannedReply['marker']): boolean =>
  marker.kind === 'reply' && marker.action === 'resolve';

/** `urls`: addresses of threads by the id of their finding. The text of a resolution already names its finding. */
export const namedAnswer = (
  { marker, text }: Pick<PlannedReply, 'marker' | 'text'>,
  urls: ReadonlyMap<string, string>,
): Pick<PlannedReply, 'marker' | 'text'> =>
  isResolution(marker) ? { marker, text } : { marker, text: `${nameOf(marker.id, urls.get(marker.id))}: ${text}` };

const nameOf = (id: string, url: string | undefined): string =>
  url === undefined ? `**${id}**` : `[**${id}**](${url})`;
