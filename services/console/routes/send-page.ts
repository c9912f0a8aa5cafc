import type { FastifyReply } from 'fastify';
import { VERSION } from '../../../shared/version.ts';
import type { Visitor } from '../access/visitors.ts';
import type { Content } from '../pages/html.ts';
import { type Frame, page } from '../pages/layout.ts';
import { problemPage } from '../pages/problem-page.ts';

export type PageWish = Omit<Frame, 'visitor' | 'version'> & {
  readonly visitor: Visitor | null;
  readonly status?: number;
};

export const sendPage = (reply: FastifyReply, wish: PageWish, content: Content): FastifyReply => {
  const { visitor, status = 200, ...frame } = wish;
  const shown =
    visitor === null
      ? null
      : { scope: visitor.scope, csrf: visitor.session?.csrf ?? null, seesAll: visitor.sight.isWhole };
  return sendHtml(reply.code(status), page({ ...frame, visitor: shown, version: VERSION }, content));
};

/** No page may be kept by a cache: it shows what only the holder of a token may see. */
export const sendHtml = (reply: FastifyReply, html: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(html);

/** Says nothing about the request, which may be anything. */
export const sendProblem = (reply: FastifyReply, status: number, words: string | null = null): FastifyReply => {
  const { title, content } = problemPage(status, words);
  return sendPage(reply, { title, at: '', visitor: null, status }, content);
};
