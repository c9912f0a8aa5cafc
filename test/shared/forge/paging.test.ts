import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ForgeHttp } from '../../../shared/forge/http.ts';
import { readPages } from '../../../shared/forge/paging.ts';
import { apiPath } from '../../../shared/forge/path.ts';

const runs = process.env['FIXPOINT_DEEP'] === '1' ? 5_000 : 300;
const Item = z.object({ id: z.number() });
const signal = new AbortController().signal;

type Listing = {
  readonly ids: readonly number[];
  /** Counted by the server and never shown, as other people's unpublished reviews are. */
  readonly hidden: ReadonlySet<number>;
  /** The server's own page limit, cut in silence. */
  readonly cap: number;
  readonly hints: 'none' | 'link' | 'total' | 'both';
  readonly ignoresPage: boolean;
};

type Page = { readonly shown: readonly { id: number }[]; readonly headers: Record<string, string> };

const pageOf = (listing: Listing, page: number, limit: number): Page => {
  const size = Math.min(limit, listing.cap);
  const all = listing.ids;
  const slice = listing.ignoresPage ? all : all.slice((page - 1) * size, page * size);
  const more = !listing.ignoresPage && page * size < all.length;
  const link = more ? '<http://elsewhere.invalid/?page=99>; rel="next",<x>; rel="last"' : '<x>; rel="first"';
  const wantsLink = listing.hints === 'link' || listing.hints === 'both';
  const wantsTotal = listing.hints === 'total' || listing.hints === 'both';
  return {
    shown: slice.filter((id) => !listing.hidden.has(id)).map((id) => ({ id })),
    headers: { ...(wantsLink ? { link } : {}), ...(wantsTotal ? { 'x-total-count': String(all.length) } : {}) },
  };
};

const serve = (listing: Listing): ForgeHttp & { readonly calls: string[] } => {
  const calls: string[] = [];
  return {
    forgeId: 'test',
    calls,
    read: async (request) => {
      const { page, limit } = z.object({ page: z.number(), limit: z.number() }).parse(request.query);
      calls.push(`${request.path} ${page}`);
      const { shown, headers } = pageOf(listing, page, limit);
      return { value: request.schema.parse(shown), headers };
    },
    readIfChanged: () => Promise.reject(new Error('whole lists are read without conditions')),
    readText: () => Promise.reject(new Error('no file is read here')),
    write: () => Promise.reject(new Error('nothing is written here')),
  };
};

const readAll = async (listing: Listing, limit = 50): Promise<readonly number[]> => {
  const request = { path: apiPath`/things`, item: Item, limit, keyOf: (item: z.output<typeof Item>) => item.id };
  return (await readPages(serve(listing), request, signal)).map((item) => item.id);
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const plain: Listing = { ids: [], hidden: new Set(), cap: 50, hints: 'total', ignoresPage: false };

describe('readPages', () => {
  it.each(['none', 'link', 'total', 'both'] as const)(
    'finds all of 350 items with the hints %s when pages are cut to 20',
    async (hints) => {
      expect(await readAll({ ...plain, ids: numbers(350), cap: 20, hints })).toEqual(numbers(350));
    },
  );

  it('reads an unpaged endpoint that ignores the page number once too often at most', async () => {
    const server = serve({ ...plain, ids: numbers(120), hints: 'none', ignoresPage: true });
    const found = await readPages(
      server,
      { path: apiPath`/things`, item: Item, limit: 50, keyOf: ({ id }) => id },
      signal,
    );
    expect(found).toHaveLength(120);
    expect(server.calls).toEqual(['/things 1', '/things 2']);
  });

  it('goes on over a page on which everything is hidden', async () => {
    const hidden = new Set(numbers(50));
    expect(await readAll({ ...plain, ids: numbers(120), hidden })).toEqual(numbers(120).slice(50));
  });

  it('asks once for an empty list with a total', async () => {
    const server = serve(plain);
    await readPages(server, { path: apiPath`/things`, item: Item, limit: 50, keyOf: ({ id }) => id }, signal);
    expect(server.calls).toEqual(['/things 1']);
  });

  it.each(['total', 'both'] as const)('asks for no page behind the last one with the hints %s', async (hints) => {
    const server = serve({ ...plain, ids: numbers(100), hints });
    await readPages(server, { path: apiPath`/things`, item: Item, limit: 50, keyOf: ({ id }) => id }, signal);
    expect(server.calls).toEqual(['/things 1', '/things 2']);
  });

  it('takes null for no list: a list of own comments that seems empty would be written again', async () => {
    const server: ForgeHttp = {
      ...serve(plain),
      read: async (request) => ({ value: request.schema.parse(null), headers: { 'x-total-count': '0' } }),
    };
    const request = { path: apiPath`/things`, item: Item, limit: 50, keyOf: (item: z.output<typeof Item>) => item.id };
    await expect(readPages(server, request, signal)).rejects.toBeInstanceOf(z.ZodError);
  });

  it('refuses to return a shortened list when there is no end to the pages', async () => {
    let id = 0;
    const server: ForgeHttp = {
      ...serve(plain),
      read: async (request) => {
        id += 1;
        return { value: request.schema.parse([{ id }]), headers: { link: '<x>; rel="next"' } };
      },
    };
    const request = { path: apiPath`/things`, item: Item, limit: 1, keyOf: (item: z.output<typeof Item>) => item.id };
    const error = await readPages(server, request, signal).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ForgeRequestError);
    expect(error).toMatchObject({ code: 'FORGE_BAD_ANSWER', fields: { reason: 'pages' } });
  });

  it('loses nothing that is shown, for every size, cut, hint and hidden set', async () => {
    const listing = fc.record({
      ids: fc.integer({ min: 0, max: 130 }).map(numbers),
      hiddenSeed: fc.array(fc.integer({ min: 1, max: 130 }), { maxLength: 60 }),
      cap: fc.integer({ min: 7, max: 60 }),
      hints: fc.constantFrom('link', 'total', 'both'),
    });
    await fc.assert(
      fc.asyncProperty(listing, async ({ ids, hiddenSeed, cap, hints }) => {
        // Only lists with a total hide entries (both forges count them there); a whole hidden page needs the true cap.
        const hidden = hints === 'total' ? new Set(hiddenSeed) : new Set<number>();
        const found = await readAll({ ...plain, ids, hidden, cap, hints }, Math.min(cap, 50));
        expect(found).toEqual(ids.filter((id) => !hidden.has(id)));
      }),
      { seed: 4, numRuns: runs },
    );
  });
});
