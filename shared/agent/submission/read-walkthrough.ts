import { z } from 'zod';
import { cutPoint } from '../../text/cut.ts';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import {
  MAX_WALKTHROUGH,
  MAX_WALKTHROUGH_CHARACTERS as MAX_CHARACTERS,
  type Walkthrough,
} from '../../vocabulary/walkthrough.ts';
import { plainPath } from './plain-path.ts';

const Given = z.object({ path: z.string().min(1).max(3000), text: z.string().max(20_000) });

/** The walkthrough is only informative, so unreadable entries are dropped and long ones cut. The first entry per file counts. */
export const readWalkthrough = (list: readonly unknown[] | null): Walkthrough => {
  const lines = new Map<string, string>();
  for (const value of (list ?? []).slice(0, MAX_WALKTHROUGH * 10)) {
    const given = Given.safeParse(value);
    if (!given.success) continue;
    const path = plainPath(given.data.path);
    const text = collapseBlanks(given.data.text);
    if (path === '' || text === '' || lines.has(path) || lines.size >= MAX_WALKTHROUGH) continue;
    lines.set(path, text.length <= MAX_CHARACTERS ? text : `${text.slice(0, cutPoint(text, MAX_CHARACTERS - 1))}…`);
  }
  return [...lines].map(([path, text]) => ({ path, text }));
};
