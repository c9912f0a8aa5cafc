/** Reads a single page of a list, for the sweep, which spreads its requests over time. `paging.ts` reads whole lists. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { ForgeHttp } from './http.ts';
import { hintsOf, isLastPage } from './paging.ts';
import type { ApiPath, Query } from './path.ts';

/** The forge's names for paging parameters and headers: GitLab's differ from those of Forgejo and Gitea. */
export type PageWords = {
  readonly sizeParameter: 'limit' | 'per_page';
  readonly totalHeader: 'x-total-count' | 'x-total';
  readonly size: number;
};

export type ListPageRequest<S extends z.ZodType> = {
  readonly path: ApiPath;
  readonly query: Query;
  readonly item: S;
  readonly page: number;
  readonly words: PageWords;
  /** The `tag` of this page's last response. With null, the page is always returned. */
  readonly tag: string | null;
};

export type ListPage<T> = {
  readonly items: readonly T[];
  /** Number of entries that are null: the forge lists an object that it cannot read. They are not in `items`. */
  readonly unread: number;
  readonly last: boolean;
  readonly total: number | null;
  readonly tag: string;
};

/** Null when the page has not changed since `tag`. The tag is the forge's ETag, or a hash of the content if there is no ETag. */
export const readListPage = async <S extends z.ZodType>(
  http: ForgeHttp,
  { path, query, item, page, words, tag }: ListPageRequest<S>,
  signal: AbortSignal,
): Promise<ListPage<z.output<S>> | null> => {
  // Forgejo and Gitea write some empty lists as `null`.
  const schema = z.array(item.nullable()).nullable();
  const etag = tag?.startsWith(FROM_FORGE) === true ? tag.slice(FROM_FORGE.length) : null;
  const asked = { ...query, page, [words.sizeParameter]: words.size };
  const answer = await http.readIfChanged({ path, query: asked, schema, etag }, signal);
  if (answer === null) return null;
  const entries = answer.value ?? [];
  const hints = hintsOf(answer.headers, words.totalHeader);
  const fresh = tagOf(answer.headers, [entries, hints.total]);
  if (fresh === tag) return null;
  const before = (page - 1) * words.size;
  const count = entries.length;
  const last = isLastPage({ page, limit: words.size, items: count, fresh: count, collected: before + count, ...hints });
  const items = entries.filter((each) => each !== null);
  return { items, unread: count - items.length, last, total: hints.total, tag: fresh };
};

const FROM_FORGE = 'etag:';
const FROM_CONTENT = 'content:';

const tagOf = ({ etag }: IncomingHttpHeaders, content: unknown): string =>
  etag === undefined || etag.length > 200
    ? `${FROM_CONTENT}${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`
    : `${FROM_FORGE}${etag}`;
