/** One page of a list, for readers that spread their requests: the sweep. Whole lists are read by `paging.ts`. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { ForgeHttp } from './http.ts';
import { hintsOf, isLastPage } from './paging.ts';
import type { ApiPath, Query } from './path.ts';

/** How a forge spells pages: GitLab otherwise than Forgejo and Gitea. */
export type PageWords = {
  readonly sizeParameter: 'limit' | 'per_page';
  readonly totalHeader: 'x-total-count' | 'x-total';
  /** The largest page that the installation gives. */
  readonly size: number;
};

export type ListPageRequest<S extends z.ZodType> = {
  readonly path: ApiPath;
  readonly query: Query;
  readonly item: S;
  readonly page: number;
  readonly words: PageWords;
  /** Of the last answer for this page; null for whatever is there. */
  readonly tag: string | null;
};

export type ListPage<T> = {
  readonly items: readonly T[];
  readonly last: boolean;
  readonly total: number | null;
  readonly tag: string;
};

/**
 * Null when the page is still what it was when it had `tag`. Where the forge tags answers it is asked on that condition;
 * where it does not (Forgejo, Gitea), or gives everything again in spite of the tag, equal content has an equal tag.
 */
export const readListPage = async <S extends z.ZodType>(
  http: ForgeHttp,
  { path, query, item, page, words, tag }: ListPageRequest<S>,
  signal: AbortSignal,
): Promise<ListPage<z.output<S>> | null> => {
  // `null` is how the forges' servers write an empty list.
  const schema = z.array(item).nullable();
  const etag = tag?.startsWith(FROM_FORGE) === true ? tag.slice(FROM_FORGE.length) : null;
  const asked = { ...query, page, [words.sizeParameter]: words.size };
  const answer = await http.readIfChanged({ path, query: asked, schema, etag }, signal);
  if (answer === null) return null;
  const items = answer.value ?? [];
  const hints = hintsOf(answer.headers, words.totalHeader);
  const fresh = tagOf(answer.headers, [items, hints.total]);
  if (fresh === tag) return null;
  const before = (page - 1) * words.size;
  const facts = { page, limit: words.size, items: items.length, fresh: items.length, collected: before + items.length };
  return { items, last: isLastPage({ ...facts, ...hints }), total: hints.total, tag: fresh };
};

const FROM_FORGE = 'etag:';
const FROM_CONTENT = 'content:';

const tagOf = ({ etag }: IncomingHttpHeaders, content: unknown): string =>
  etag === undefined || etag.length > 200
    ? `${FROM_CONTENT}${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`
    : `${FROM_FORGE}${etag}`;
